import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Memory } from "../../memory.js";
import { expectAdmin } from "../authenticate.js";
import type { ServiceEnv } from "../caller.js";
import { Problem } from "../problem.js";
import { ProblemSchema } from "../schemas.js";
import { body, json, REFUSALS } from "./answers.js";

const numbers = z.record(z.string(), z.unknown());

/** A folder's name on any system: Windows has names that are devices, and drops a dot at the end. */
const BACKUP_NAME = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[\w-](?:[\w.-]{0,126}[\w-])?$/i;

const stats = createRoute({
  method: "get",
  path: "/v1/admin/stats",
  summary: "What the store holds and how large it is",
  responses: { 200: json(numbers, "the numbers"), ...REFUSALS },
});
const verify = createRoute({
  method: "post",
  path: "/v1/admin/verify",
  summary: "Read every checksum",
  responses: { 200: json(z.object({ damage: z.array(numbers) }), "what is wrong"), ...REFUSALS },
});
const compact = createRoute({
  method: "post",
  path: "/v1/admin/compact",
  summary: "Merge what the store consists of into as few files as can be",
  responses: { 200: json(numbers, "the store afterwards"), ...REFUSALS },
});
const purge = createRoute({
  method: "post",
  path: "/v1/admin/purge",
  summary: "Make sure that nothing on disk holds what was deleted",
  responses: { 200: json(numbers, "the receipt"), ...REFUSALS },
});
const backup = createRoute({
  method: "post",
  path: "/v1/admin/backup",
  summary: "Copy the store, as it is now, into the service's folder of backups",
  request: {
    body: body(
      z.strictObject({
        name: z
          .string()
          .regex(BACKUP_NAME, "expected the name of a folder, of letters, digits, . - and _"),
      }),
    ),
  },
  responses: {
    200: json(z.object({ name: z.string() }), "it is there"),
    409: json(ProblemSchema, "it was there"),
    ...REFUSALS,
  },
});

/**
 * What whoever runs the service needs of it while it holds the store's lock.
 *
 * @param backups The folder that backups go to; without one there are none.
 */
export function addAdminRoutes(
  app: OpenAPIHono<ServiceEnv>,
  memory: Memory,
  backups: string | undefined,
): void {
  app.use("/v1/admin/*", async (context, next) => {
    expectAdmin(context.get("caller"));
    await next();
  });
  app.openapi(stats, async (context) => context.json({ ...(await memory.storage()) }, 200));
  app.openapi(verify, async (context) => {
    const damage = await memory.verify({ signal: context.req.raw.signal });
    return context.json({ damage: damage.map((one) => ({ ...one })) }, 200);
  });
  app.openapi(compact, async (context) => {
    await memory.compact({ signal: context.req.raw.signal });
    return context.json({ ...(await memory.storage()) }, 200);
  });
  app.openapi(purge, async (context) => {
    const receipt = await memory.purge({ signal: context.req.raw.signal });
    return context.json({ ...receipt, unreached: [...receipt.unreached] }, 200);
  });
  app.openapi(backup, async (context) => {
    if (backups === undefined) {
      throw new Problem(403, "FORBIDDEN", "the service was started without a folder of backups");
    }
    const { name } = context.req.valid("json");
    if (existsSync(join(backups, name))) {
      throw new Problem(409, "CONFLICT", `there is a backup "${name}"`);
    }
    await mkdir(backups, { recursive: true });
    await memory.backup(join(backups, name), { signal: context.req.raw.signal });
    return context.json({ name }, 200);
  });
}
