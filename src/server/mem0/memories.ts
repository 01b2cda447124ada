import type { Hono } from "hono";
import { z } from "zod";
import { EVERYTHING } from "../../adapters/entries.js";
import { nearest } from "../../adapters/nearest.js";
import { isPlainObject } from "../../internal/check.js";
import type { Memory } from "../../memory.js";
import { isRecalledOnly, stripRecalled } from "../../pack/strip-recalled.js";
import { sessionOfRun } from "../../transfer/mem0/place.js";
import type { RecallItem, Turn, TurnPatch } from "../../types.js";
import type { BankQuota } from "../bank-quota.js";
import type { ServiceEnv } from "../caller.js";
import { Problem } from "../problem.js";
import { bodyOf, SPELT, WITHIN_FILTERS } from "./body.js";
import { Project } from "./project.js";
import { bankOf, memoryIdOf, noMemory, parseMemoryId, SCOPE_KEYS, scopeOf } from "./scope.js";

const name = z.string().min(1).nullish();
const scope = { user_id: name, agent_id: name, app_id: name, run_id: name };
const time = z.union([z.string(), z.number()]).nullish();
// Not a record, which would leave out a field `__proto__`.
const metadata = z.custom<Record<string, unknown>>(isPlainObject, "expected an object").nullish();

const Add = z.object({
  ...SPELT,
  ...scope,
  messages: z.union([
    z.string(),
    z
      .array(z.object({ role: z.string(), content: z.string(), name: z.string().optional() }))
      .min(1),
  ]),
  metadata,
  timestamp: time,
  expiration_date: z.string().nullish(),
});
const Search = z.object({
  ...WITHIN_FILTERS,
  query: z.string(),
  filters: z.unknown().optional(),
  top_k: z.int().min(1).max(1000).default(10),
  threshold: z.number().nullish(),
});
const List = z.object({
  ...WITHIN_FILTERS,
  filters: z.unknown().optional(),
  start_date: time,
  end_date: time,
});
export const Update = z.object({
  text: z.string().optional(),
  metadata: metadata.optional(),
  timestamp: time.optional(),
  expiration_date: z.string().nullish(),
});

const PAGE = 100;
/** Which project is meant is said by the API key here. */
const PROJECT_KEYS = new Set(["org_id", "project_id"]);
const MS_OF_SECOND = 1000;

/** mem0's routes of memories, as its `MemoryClient` calls them. */
export function addMemoryRoutes(app: Hono<ServiceEnv>, memory: Memory, quota: BankQuota): void {
  app.post("/v3/memories/add/", async (context) => {
    const caller = context.get("caller");
    const request = await bodyOf(context, Add);
    const bank = bankOf(caller, withoutNulls(request));
    const given =
      typeof request.messages === "string"
        ? [{ role: "user", content: request.messages }]
        : request.messages;
    // A transcript may hold what was recalled for it: that is stored already.
    const messages = given
      .filter(({ content }) => !isRecalledOnly(content))
      .map((message) => ({ ...message, content: stripRecalled(message.content) }));
    const turns = messages.map(
      ({ role, content, ...rest }): Turn => ({
        role: role as Turn["role"],
        content,
        ...("name" in rest && { speaker: rest.name }),
        ...(request.run_id != null && { session: sessionOfRun(request.run_id) }),
        ...(request.timestamp != null && { at: momentOf(request.timestamp) }),
        ...(request.metadata != null && { metadata: request.metadata as never }),
        ...(request.expiration_date != null && { expiresAt: request.expiration_date }),
      }),
    );
    const results = await quota.within(caller, bank, () => memory.bank(bank).addMany(turns));
    return context.json({
      results: results.map(({ id, status }, i) => ({
        id: memoryIdOf(caller, bank, id),
        memory: messages[i]!.content,
        event: "ADD",
        status,
      })),
    });
  });

  app.post("/v3/memories/search/", async (context) => {
    const project = new Project(memory, context.get("caller"));
    const { query, filters, top_k: most, threshold } = await bodyOf(context, Search);
    const found: { bank: string; item: RecallItem }[] = [];
    const selected = await project.select(filters);
    for (const { bank, filter } of selected) {
      const items = await nearest(bank, query, most, {
        signal: context.req.raw.signal,
        ...(filter !== undefined && { filter }),
      });
      for (const item of items) found.push({ bank: bank.name, item });
    }
    const scopes = new Map(selected.map(({ bank, scope }) => [bank.name, scope]));
    const results = found
      .filter(({ item }) => item.score > (threshold ?? 0))
      .sort((a, b) => b.item.score - a.item.score)
      .slice(0, most)
      .map(({ bank, item }) => ({
        ...project.toMemory(bank, scopes.get(bank)!, item),
        score: item.score,
      }));
    return context.json({ results });
  });

  app.post("/v3/memories/", async (context) => {
    const project = new Project(memory, context.get("caller"));
    const { filters, start_date: from, end_date: to } = await bodyOf(context, List);
    const page = pageNumber(context.req.query("page"), 1);
    const size = pageNumber(context.req.query("page_size"), PAGE);
    const dated = { ...(from != null && { gte: from }), ...(to != null && { lte: to }) };
    const isDated = Object.keys(dated).length > 0;
    const selected = await project.select(
      isDated ? { AND: [filters, { created_at: dated }] } : filters,
    );
    let count = 0;
    const results: object[] = [];
    for await (const { of, entry } of project.entries(selected)) {
      if (count >= (page - 1) * size && results.length < size) {
        results.push(project.toMemory(of.bank.name, of.scope, entry));
      }
      count++;
    }
    const link = (number: number) => `/v3/memories/?page=${number}&page_size=${size}`;
    return context.json({
      count,
      next: page * size < count ? link(page + 1) : null,
      previous: page > 1 ? link(page - 1) : null,
      results,
    });
  });

  app.delete("/v1/memories/", async (context) => {
    const project = new Project(memory, context.get("caller"));
    const filter = scopeOfQuery(context.req.queries());
    let deleted = 0;
    for (const { bank, filter: left } of await project.select(filter)) {
      deleted += await bank.deleteWhere(left ?? EVERYTHING);
    }
    return context.json({ message: "Memories deleted successfully!", deleted });
  });

  app.get("/v1/memories/:id/", async (context) => {
    const caller = context.get("caller");
    const id = context.req.param("id");
    const { bank, entry } = parseMemoryId(caller, id);
    const found = await memory.bank(bank).get(entry);
    if (found === undefined) throw noMemory(id);
    const project = new Project(memory, caller);
    return context.json(project.toMemory(bank, scopeOf(caller, bank)!, found));
  });

  app.put("/v1/memories/:id/", async (context) => {
    const caller = context.get("caller");
    const id = context.req.param("id");
    const { bank, entry } = parseMemoryId(caller, id);
    const patch = patchOf(await bodyOf(context, Update));
    if (Object.keys(patch).length === 0) {
      throw new Problem(
        400,
        "BAD_REQUEST",
        "expected text, metadata, timestamp or expiration_date",
      );
    }
    const found = await memory.bank(bank).update(entry, patch);
    if (found === undefined) throw noMemory(id);
    const project = new Project(memory, caller);
    return context.json(project.toMemory(bank, scopeOf(caller, bank)!, found));
  });

  app.delete("/v1/memories/:id/", async (context) => {
    const id = context.req.param("id");
    const { bank, entry } = parseMemoryId(context.get("caller"), id);
    if ((await memory.bank(bank).delete(entry)) === 0) throw noMemory(id);
    return context.json({ message: "Memory deleted successfully!" });
  });

  app.get("/v1/memories/:id/history/", async (context) => {
    const caller = context.get("caller");
    const id = context.req.param("id");
    const { bank, entry } = parseMemoryId(caller, id);
    const versions = await memory.bank(bank).history(entry);
    if (versions.length === 0) throw noMemory(id);
    return context.json(
      versions.map(({ version, content, role, ingestedAt, metadata: of }, i) => ({
        id: `${id}.${version}`,
        memory_id: id,
        input: [{ role, content }],
        old_memory: versions[i - 1]?.content ?? null,
        new_memory: content,
        user_id: scopeOf(caller, bank)?.user_id ?? null,
        categories: [],
        event: i === 0 ? "ADD" : "UPDATE",
        metadata: of,
        created_at: versions[0]!.ingestedAt.toISOString(),
        updated_at: ingestedAt.toISOString(),
      })),
    );
  });
}

/** What an update of mem0's changes. */
export function patchOf(update: z.infer<typeof Update>): TurnPatch {
  const { text, metadata: of, timestamp, expiration_date: expires } = update;
  return {
    ...(text !== undefined && { content: text }),
    ...(of !== undefined && { metadata: of as never }),
    ...(timestamp != null && { at: momentOf(timestamp) }),
    ...(expires !== undefined && { expiresAt: expires }),
  };
}

/** mem0's numbers are Unix seconds. */
function momentOf(timestamp: string | number): string | number {
  return typeof timestamp === "number" ? timestamp * MS_OF_SECOND : timestamp;
}

/** @throws {@link Problem} 400 for what is no id: passed over, more would be deleted than was asked for. */
function scopeOfQuery(queries: Readonly<Record<string, string[]>>): Record<string, string> {
  const filter: Record<string, string> = {};
  for (const [key, [value, ...more]] of Object.entries(queries)) {
    if (PROJECT_KEYS.has(key)) continue;
    if (!(SCOPE_KEYS as readonly string[]).includes(key) || more.length > 0) {
      throw new Problem(400, "BAD_REQUEST", `${key}: expected ${SCOPE_KEYS.join(", ")}, once each`);
    }
    filter[key] = value!;
  }
  return filter;
}

function pageNumber(text: string | undefined, standard: number): number {
  if (text === undefined) return standard;
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new Problem(400, "BAD_REQUEST", "page, page_size: expected whole numbers from 1");
  }
  return Number(text);
}

function withoutNulls<T extends object>(object: T): { [key in keyof T]?: NonNullable<T[key]> } {
  const entries = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [key in keyof T]?: NonNullable<T[key]> };
}
