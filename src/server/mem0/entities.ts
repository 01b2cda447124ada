import type { Hono } from "hono";
import { z } from "zod";
import { EVERYTHING } from "../../adapters/entries.js";
import type { Memory } from "../../memory.js";
import type { ServiceEnv } from "../caller.js";
import { Problem } from "../problem.js";
import { bodyOf, WITHIN_FILTERS } from "./body.js";
import { patchOf } from "./memories.js";
import { Project } from "./project.js";
import { noMemory, parseMemoryId, type ScopeKey } from "./scope.js";

const TYPES: Readonly<Record<string, ScopeKey>> = {
  user: "user_id",
  agent: "agent_id",
  app: "app_id",
  run: "run_id",
};

const MOST = 1000;
const memoryId = z.string().min(1);
const BatchUpdate = z.object({
  memories: z.array(z.object({ memory_id: memoryId, text: z.string() })).max(MOST),
});
const BatchDelete = z.object({ memories: z.array(z.object({ memory_id: memoryId })).max(MOST) });
const Feedback = z.object({
  memory_id: memoryId,
  feedback: z.enum(["POSITIVE", "NEGATIVE", "VERY_NEGATIVE"]).nullish(),
  feedback_reason: z.string().nullish(),
});
const Export = z.object({ ...WITHIN_FILTERS, filters: z.unknown().optional() });
const GetExport = z.object({
  ...WITHIN_FILTERS,
  filters: z.unknown().optional(),
  memory_export_id: z.string().optional(),
});

/** mem0's other routes: who has memories, batches, exports and feedback. */
export function addEntityRoutes(app: Hono<ServiceEnv>, memory: Memory): void {
  app.get("/v1/ping/", (context) =>
    context.json({ status: "ok", user_email: context.get("caller").id }),
  );

  app.get("/v1/entities/", async (context) => {
    const counts = new Map<string, { type: string; name: string; total: number }>();
    for (const { name: bank, scope } of await new Project(memory, context.get("caller")).banks()) {
      const { entries } = await memory.bank(bank).stats();
      for (const [type, key] of Object.entries(TYPES)) {
        const name = scope[key];
        if (name === undefined || entries === 0) continue;
        const before = counts.get(`${type}:${name}`);
        counts.set(`${type}:${name}`, { type, name, total: entries + (before?.total ?? 0) });
      }
    }
    const results = [...counts].map(([id, { type, name, total }]) => ({
      ...{ id, type, name, total_memories: total, owner: context.get("caller").id },
    }));
    return context.json({ count: results.length, next: null, previous: null, results });
  });

  for (const path of ["/v1/entities/:type/:name/", "/v2/entities/:type/:name/"] as const) {
    app.delete(path, async (context) => {
      const type = context.req.param("type");
      const key = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
      if (key === undefined) {
        throw new Problem(400, "BAD_REQUEST", `expected one of ${Object.keys(TYPES).join(", ")}`);
      }
      const project = new Project(memory, context.get("caller"));
      let deleted = 0;
      const selected = await project.select({ [key]: { eq: context.req.param("name") } });
      for (const { bank, filter } of selected)
        deleted += await bank.deleteWhere(filter ?? EVERYTHING);
      if (deleted === 0) throw new Problem(404, "NOT_FOUND", "there is no such entity");
      return context.json({ message: "Entity deleted successfully!", deleted });
    });
  }

  app.put("/v1/batch/", async (context) => {
    const caller = context.get("caller");
    const { memories } = await bodyOf(context, BatchUpdate);
    const places = memories.map(({ memory_id: id }) => parseMemoryId(caller, id));
    // One that is not there is found before any is changed.
    for (const [i, { bank, entry }] of places.entries()) {
      if ((await memory.bank(bank).get(entry)) === undefined) {
        throw noMemory(memories[i]!.memory_id);
      }
    }
    for (const [i, { bank, entry }] of places.entries()) {
      const { memory_id: id, text } = memories[i]!;
      if ((await memory.bank(bank).update(entry, patchOf({ text }))) === undefined) {
        throw noMemory(id);
      }
    }
    return context.json({ message: `Successfully updated ${memories.length} memories` });
  });

  app.delete("/v1/batch/", async (context) => {
    const caller = context.get("caller");
    const { memories } = await bodyOf(context, BatchDelete);
    const places = memories.map(({ memory_id: id }) => parseMemoryId(caller, id));
    let deleted = 0;
    for (const { bank, entry } of places) deleted += await memory.bank(bank).delete(entry);
    return context.json({ message: `Successfully deleted ${deleted} memories`, deleted });
  });

  app.post("/v1/feedback/", async (context) => {
    const caller = context.get("caller");
    const { memory_id: id, feedback, feedback_reason: reason } = await bodyOf(context, Feedback);
    const { bank, entry } = parseMemoryId(caller, id);
    const found = await memory.bank(bank).get(entry);
    if (found === undefined) throw noMemory(id);
    const metadata = {
      ...found.metadata,
      feedback: feedback ?? null,
      feedback_reason: reason ?? null,
    };
    await memory.bank(bank).update(entry, { metadata });
    return context.json({ id, feedback: feedback ?? null, feedback_reason: reason ?? null });
  });

  // An export is its filters, so that there is nothing to keep: it is made when it is fetched.
  app.post("/v1/exports/", async (context) => {
    const { filters } = await bodyOf(context, Export);
    await new Project(memory, context.get("caller")).select(filters);
    const id = Buffer.from(JSON.stringify(filters)).toString("base64url");
    return context.json({ id, message: "The export is ready to be fetched" });
  });

  app.post("/v1/exports/get/", async (context) => {
    const { filters, memory_export_id: id } = await bodyOf(context, GetExport);
    const project = new Project(memory, context.get("caller"));
    const selected = await project.select(id === undefined ? filters : parseExportId(id));
    const memories: object[] = [];
    for await (const { of, entry } of project.entries(selected)) {
      memories.push(project.toMemory(of.bank.name, of.scope, entry));
    }
    return context.json({ memories });
  });
}

function parseExportId(id: string): unknown {
  try {
    return JSON.parse(Buffer.from(id, "base64url").toString());
  } catch {
    throw new Problem(404, "NOT_FOUND", "there is no such export");
  }
}
