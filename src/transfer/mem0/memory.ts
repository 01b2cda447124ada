import { expected, isPlainObject } from "../../internal/check.js";
import { parseMoment } from "../../internal/moment.js";
import type { JsonObject, JsonValue } from "../../types.js";

/** A memory of mem0's, whichever of its parts it comes from. */
export interface Mem0Memory {
  readonly id: string;
  readonly text: string;
  readonly user_id: string | undefined;
  readonly agent_id: string | undefined;
  readonly app_id: string | undefined;
  readonly run_id: string | undefined;
  readonly role: string | undefined;
  /** Who said it, where several did. */
  readonly actor: string | undefined;
  /** Unix milliseconds. */
  readonly createdAt: number | undefined;
  readonly updatedAt: number | undefined;
  readonly expiresAt: string | undefined;
  /** What its owner stored with it. */
  readonly metadata: JsonObject;
  /** What mem0 has of its own: hash, categories, ... */
  readonly others: JsonObject;
}

/** Under one of these a page or an export has its memories. */
export const LISTS = ["results", "memories", "points"] as const;
/** Qdrant's answers have theirs a level deeper. */
export const ENVELOPES = ["result"] as const;

/** The client for JavaScript renames what the service sends. */
const SNAKE: Readonly<Record<string, string>> = {
  userId: "user_id",
  agentId: "agent_id",
  appId: "app_id",
  runId: "run_id",
  actorId: "actor_id",
  createdAt: "created_at",
  updatedAt: "updated_at",
  expirationDate: "expiration_date",
  textLemmatized: "text_lemmatized",
  attributedTo: "attributed_to",
};
/** What a payload's text is searched by: made of it, and so no loss. */
const DERIVED = new Set(["text_lemmatized", "score", "vector"]);
/** Of a payload, what is mem0's; all else in it is its owner's metadata. */
const OF_PAYLOAD = new Set(["hash", "attributed_to", "categories"]);
/** Redis keeps seconds; no date of a memory in milliseconds is as early. */
const FIRST_MS = 1e11;
const MS_OF_SECOND = 1000;

/**
 * The memories in an element of an export: one, or those of a page.
 *
 * - `{ id, memory, user_id, metadata, ... }`: what `getAll`, `search` and the exports of the platform
 *   and of the open-source library answer, in either spelling;
 * - `{ id, payload: { data, user_id, ... } }`: a point of a vector store, whose payload may be a text, as in SQLite;
 * - `{ results: [...] }` and the like: a page.
 *
 * @param where What to call it in a complaint.
 * @throws TypeError, RangeError where it is none of these.
 */
export function* memoriesOf(value: unknown, where: string): Generator<Mem0Memory> {
  if (!isPlainObject(value)) throw expected(where, "a memory of mem0's", value);
  const list = LISTS.map((name) => value[name]).find(Array.isArray);
  if (list === undefined) {
    yield memoryOf(value, where);
    return;
  }
  for (const [i, one] of list.entries()) yield* memoriesOf(one, `${where}[${i}]`);
}

function memoryOf(value: Record<string, unknown>, where: string): Mem0Memory {
  const payload = payloadOf(value, where);
  const fields = inSnakeCase(payload ?? value);
  const { memory, data, metadata: given, user_id, agent_id, app_id, run_id, ...rest } = fields;
  const { role, actor_id, created_at, updated_at, expiration_date: expires, ...others } = rest;
  const { id } = value;
  const text = memory ?? data;
  if (typeof id !== "string" && typeof id !== "number") {
    throw expected(`${where}.id`, "a memory's id", id);
  }
  if (typeof text !== "string" || text === "") {
    throw expected(`${where}.${payload === undefined ? "memory" : "payload.data"}`, "a text", text);
  }
  const own: Record<string, unknown> = isPlainObject(given) ? { ...given } : {};
  const theirs: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(others)) {
    if (DERIVED.has(key) || field === null || field === undefined) continue;
    // A point's payload may have one of its owner's.
    if (key === "id" && (payload === undefined || payload === value)) continue;
    put(payload === undefined || OF_PAYLOAD.has(key) ? theirs : own, key, field);
  }
  const name = (key: string, field: unknown): string | undefined => {
    if (field === null || field === undefined || field === "") return undefined;
    if (typeof field !== "string") throw expected(`${where}.${key}`, "a name", field);
    return field;
  };
  return {
    ...{ id: String(id), text },
    user_id: name("user_id", user_id),
    agent_id: name("agent_id", agent_id),
    app_id: name("app_id", app_id),
    run_id: name("run_id", run_id),
    role: name("role", role),
    actor: name("actor_id", actor_id),
    createdAt: momentOf(`${where}.created_at`, created_at),
    updatedAt: momentOf(`${where}.updated_at`, updated_at),
    expiresAt: name("expiration_date", expires),
    metadata: own as JsonObject,
    others: theirs as JsonObject,
  };
}

function payloadOf(
  value: Record<string, unknown>,
  where: string,
): Record<string, unknown> | undefined {
  let { payload } = value;
  if (payload === undefined) return value["data"] === undefined ? undefined : value;
  if (typeof payload === "string") {
    try {
      payload = JSON.parse(payload);
    } catch (cause) {
      throw new TypeError(`${where}.payload: expected JSON, got ${(cause as Error).message}`, {
        cause,
      });
    }
  }
  if (!isPlainObject(payload)) throw expected(`${where}.payload`, "an object", payload);
  return payload;
}

function inSnakeCase(fields: Record<string, unknown>): Record<string, unknown> {
  const renamed: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    const name = Object.hasOwn(SNAKE, key) ? SNAKE[key]! : key;
    // Where both are there, mem0 reads its own spelling.
    if (name === key || !Object.hasOwn(fields, name)) put(renamed, name, field);
  }
  return renamed;
}

function momentOf(argument: string, value: unknown): number | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && number < FIRST_MS) return Math.round(number * MS_OF_SECOND);
  return parseMoment(argument, number);
}

/** Not by assignment: a key may be `__proto__`. */
function put(fields: object, key: string, value: unknown): void {
  Object.defineProperty(fields, key, {
    ...{ value: value as JsonValue, enumerable: true, configurable: true, writable: true },
  });
}
