import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Memory } from "../../memory.js";
import { PACKERS } from "../../pack/packers.js";
import { packageVersion } from "../../package.js";
import { DEFAULT_BUDGET } from "../../recall/options.js";
import { STRATEGIES } from "../../recall/strategies.js";
import { expectBank } from "../authenticate.js";
import type { ServiceEnv } from "../caller.js";
import { About, Bank, MapRequest, MapResponse, Sessions } from "../schemas.js";
import { body, json, REFUSALS } from "./answers.js";

const params = z.object({ bank: Bank });
const DEFAULT_SESSIONS = 1000;
const MOST_SESSIONS = 10_000;

const about = createRoute({
  method: "get",
  path: "/v1/about",
  summary: "What the service is, and what it may be asked",
  responses: { 200: json(About, "version, and the names of strategies and packers"), ...REFUSALS },
});
const sessions = createRoute({
  method: "get",
  path: "/v1/banks/{bank}/sessions",
  summary: "The sessions of a bank, those first that have the latest entries",
  request: {
    params,
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(MOST_SESSIONS).optional().openapi({
        default: DEFAULT_SESSIONS,
      }),
    }),
  },
  responses: { 200: json(Sessions, "the first `limit` of `total`"), ...REFUSALS },
});
const map = createRoute({
  method: "post",
  path: "/v1/banks/{bank}/map",
  summary: "Where a bank's chunks, and a question, lie on the plane in which they differ most",
  request: { params, body: body(MapRequest) },
  responses: { 200: json(MapResponse, "at most `limit` chunks, evenly spread"), ...REFUSALS },
});

/** The routes for whoever looks at what there is: the page at `/ui` is made of these and the others. */
export function addLookRoutes(app: OpenAPIHono<ServiceEnv>, memory: Memory): void {
  app.openapi(about, (context) =>
    context.json(
      {
        version: packageVersion(),
        readOnly: memory.readOnly,
        strategies: [...STRATEGIES],
        packers: [...PACKERS],
        budget: DEFAULT_BUDGET,
      },
      200,
    ),
  );

  app.openapi(sessions, async (context) => {
    const { bank } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    const { limit = DEFAULT_SESSIONS } = context.req.valid("query");
    const all = await memory.bank(bank).sessions();
    // Dates become texts as JSON has them, hence the cast.
    return context.json({ sessions: all.slice(0, limit), total: all.length } as never, 200);
  });

  app.openapi(map, async (context) => {
    const { bank } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    const asked = context.req.valid("json");
    const signal = context.req.raw.signal;
    return context.json((await memory.bank(bank).map({ ...asked, signal })) as never, 200);
  });
}
