import { wellFormed } from "../../text/tokenizer.js";
import { bankNameOf, MARK, type Scope, type ScopeKey } from "../../transfer/mem0/place.js";
import type { Caller } from "../caller.js";
import { Problem } from "../problem.js";

export { SCOPE_KEYS, type Scope, type ScopeKey } from "../../transfer/mem0/place.js";

/**
 * The ids as libraries in camel case have them, whose clients spell them otherwise before they send
 * them. Passed over, they would leave a memory or a search with fewer ids than were meant, and so with more people.
 */
export const MISSPELT: Readonly<Record<string, ScopeKey>> = {
  userId: "user_id",
  agentId: "agent_id",
  appId: "app_id",
  runId: "run_id",
};

/** Of a bank's name: what the longest combination may take of it. */
const LONGEST_BANK = 256;

/** The bank that a combination's memories are in. @throws {@link Problem} 400 where it names nobody. */
export function bankOf(caller: Caller, scope: Scope): string {
  const bank = bankNameOf(prefixOf(caller), scope);
  if (bank === undefined) {
    throw new Problem(
      400,
      "BAD_REQUEST",
      "at least one of user_id, agent_id, app_id and run_id is needed",
    );
  }
  if (Object.values(scope).some((id) => typeof id === "string" && wellFormed(id).replaced > 0)) {
    // In a bank's name all lone surrogates are alike.
    throw new Problem(400, "BAD_REQUEST", "an id has a lone surrogate");
  }
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

/**
 * What clients call an entry: the combination that it is of and its id, encoded as one word, which leads
 * nowhere outside the banks of the key that uses it.
 */
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
