import type { Caller } from "../caller.js";
import { Problem } from "../problem.js";

/**
 * Whose a memory is, in mem0's words: a user, an agent, an app and a run, of which at least one is
 * named. Each combination of user, agent and app is a bank of its own, so that what is searched is a
 * partition and never a filter that could be forgotten; a run is a session within it, or, where nothing else is
 * named, a bank as well.
 *
 * A bank's name is the key's own prefix and the combination as a query string:
 * `tenant-a/mem0?user_id=ana&agent_id=planner`. A memory's id is the combination and the entry's id,
 * encoded as one word, which leads nowhere outside the banks of the key that uses it.
 */
export interface Scope {
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly app_id?: string | undefined;
  readonly run_id?: string | undefined;
}

export const SCOPE_KEYS = ["user_id", "agent_id", "app_id", "run_id"] as const;
export type ScopeKey = (typeof SCOPE_KEYS)[number];
const PARTITION_KEYS = ["user_id", "agent_id", "app_id"] as const;
const MARK = "mem0?";
/** Of a bank's name: what the longest combination may take of it. */
const LONGEST_BANK = 256;

/** The bank that a combination's memories are in. @throws {@link Problem} 400 where it names nobody. */
export function bankOf(caller: Caller, scope: Scope): string {
  const named = PARTITION_KEYS.some((key) => scope[key] !== undefined);
  const keys: readonly ScopeKey[] = named ? PARTITION_KEYS : ["run_id"];
  const query = new URLSearchParams();
  for (const key of keys) if (scope[key] !== undefined) query.set(key, scope[key]);
  if (query.size === 0) {
    throw new Problem(
      400,
      "BAD_REQUEST",
      "at least one of user_id, agent_id, app_id and run_id is needed",
    );
  }
  const bank = `${prefixOf(caller)}${MARK}${query}`;
  if (bank.length > LONGEST_BANK) {
    throw new Problem(400, "BAD_REQUEST", "user_id, agent_id and app_id are too long together");
  }
  return bank;
}

/** The combination that a bank is of; undefined for banks that mem0's routes did not make. */
export function scopeOf(caller: Caller, bank: string): Scope | undefined {
  const start = prefixOf(caller) + MARK;
  if (!bank.startsWith(start)) return undefined;
  return Object.fromEntries(new URLSearchParams(bank.slice(start.length)));
}

/** What clients call an entry. */
export function memoryIdOf(caller: Caller, bank: string, entry: string): string {
  const scope = bank.slice(prefixOf(caller).length + MARK.length);
  return `${Buffer.from(scope).toString("base64url")}.${entry}`;
}

/** @throws {@link Problem} 404: it is no id that these routes gave. */
export function parseMemoryId(
  caller: Caller,
  id: string,
): { readonly bank: string; readonly entry: string } {
  const [, encoded, entry] = /^([\w-]+)\.(e[1-9]\d{0,9})$/.exec(id) ?? [];
  if (encoded === undefined || entry === undefined) throw noMemory(id);
  const scope = Buffer.from(encoded, "base64url").toString();
  return { bank: `${prefixOf(caller)}${MARK}${scope}`, entry };
}

export function noMemory(id: string): Problem {
  return new Problem(404, "NOT_FOUND", `there is no memory "${id}"`);
}

/** @throws {@link Problem} 403: banks are made as they are named, so a key for certain ones can't have any. */
export function prefixOf(caller: Caller): string {
  if (caller.prefix === undefined) {
    throw new Problem(
      403,
      "FORBIDDEN",
      "the key is for no beginning of names, as mem0's routes need",
    );
  }
  return caller.prefix;
}
