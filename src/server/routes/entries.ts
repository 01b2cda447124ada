import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Memory } from "../../memory.js";
import { DEFAULT_PAGE } from "../../options.js";
import type { TurnPatch as Patch } from "../../types.js";
import { expectBank } from "../authenticate.js";
import type { ServiceEnv } from "../caller.js";
import { Problem } from "../problem.js";
import {
  Bank,
  Deleted,
  DeleteRequest,
  Entries,
  Entry,
  EntryId,
  ListQuery,
  TurnPatch,
} from "../schemas.js";
import { body, json, NOT_FOUND, REFUSALS } from "./answers.js";

const path = "/v1/banks/{bank}/entries";
const bankOnly = z.object({ bank: Bank });
const oneEntry = z.object({ bank: Bank, id: EntryId });

const list = createRoute({
  method: "get",
  path,
  summary: "Entries, oldest first, a page at a time",
  request: { params: bankOnly, query: ListQuery },
  responses: { 200: json(Entries, "a page"), ...REFUSALS },
});
const get = createRoute({
  method: "get",
  path: `${path}/{id}`,
  summary: "One entry",
  request: { params: oneEntry },
  responses: { 200: json(Entry, "the entry"), 404: NOT_FOUND, ...REFUSALS },
});
const update = createRoute({
  method: "patch",
  path: `${path}/{id}`,
  summary: "Supersede an entry; the old version stays in its history until it is purged",
  request: { params: oneEntry, body: body(TurnPatch) },
  responses: { 200: json(Entry, "the new version"), 404: NOT_FOUND, ...REFUSALS },
});
const remove = createRoute({
  method: "delete",
  path: `${path}/{id}`,
  summary: "Delete an entry and its history",
  request: { params: oneEntry },
  responses: { 200: json(Deleted, "how many were deleted: 1, or 0"), ...REFUSALS },
});
const history = createRoute({
  method: "get",
  path: `${path}/{id}/history`,
  summary: "All versions of an entry, oldest first",
  request: { params: oneEntry },
  responses: { 200: json(z.object({ versions: z.array(Entry) }), "its versions"), ...REFUSALS },
});
const removeWhere = createRoute({
  method: "post",
  path: "/v1/banks/{bank}/delete",
  summary: "Delete every entry that a filter selects",
  request: { params: bankOnly, body: body(DeleteRequest) },
  responses: { 200: json(Deleted, "how many were deleted"), ...REFUSALS },
});

/** The routes of what a bank holds. Dates become texts as JSON has them, hence the casts. */
export function addEntryRoutes(app: OpenAPIHono<ServiceEnv>, memory: Memory): void {
  app.openapi(list, async (context) => {
    const { bank } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    const { after, limit = DEFAULT_PAGE, filter } = context.req.valid("query");
    const found = await memory.bank(bank).list({
      limit,
      ...(after !== undefined && { after }),
      ...(filter !== undefined && { filter: parseFilter(filter) }),
    });
    const next = found.length === limit ? found.at(-1)!.id : undefined;
    return context.json({ entries: found, next } as never, 200);
  });

  app.openapi(get, async (context) => {
    const { bank, id } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    return context.json(expectFound(await memory.bank(bank).get(id), id) as never, 200);
  });

  app.openapi(update, async (context) => {
    const { bank, id } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    const patch = context.req.valid("json") as Patch;
    return context.json(expectFound(await memory.bank(bank).update(id, patch), id) as never, 200);
  });

  app.openapi(remove, async (context) => {
    const { bank, id } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    return context.json({ deleted: await memory.bank(bank).delete(id) }, 200);
  });

  app.openapi(history, async (context) => {
    const { bank, id } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    return context.json({ versions: await memory.bank(bank).history(id) } as never, 200);
  });

  app.openapi(removeWhere, async (context) => {
    const { bank } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    const { filter } = context.req.valid("json");
    return context.json({ deleted: await memory.bank(bank).deleteWhere(filter) }, 200);
  });
}

function expectFound<T>(entry: T | undefined, id: string): T {
  if (entry === undefined) throw new Problem(404, "NOT_FOUND", `there is no entry "${id}"`);
  return entry;
}

function parseFilter(json: string): object {
  try {
    return JSON.parse(json) as object;
  } catch {
    throw new Problem(400, "BAD_REQUEST", "filter: expected JSON");
  }
}
