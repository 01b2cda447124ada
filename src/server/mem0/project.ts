import { entriesOf } from "../../adapters/entries.js";
import type { Bank } from "../../bank.js";
import type { Filter } from "../../filter.js";
import { isPlainObject } from "../../internal/check.js";
import type { Memory } from "../../memory.js";
import { runOfSession } from "../../transfer/mem0/place.js";
import type { Entry, JsonObject, JsonValue } from "../../types.js";
import type { Caller } from "../caller.js";
import { Problem } from "../problem.js";
import { namesScope, residueOf } from "./filters.js";
import { memoryIdOf, prefixOf, type Scope, scopeOf } from "./scope.js";

/** A bank of a caller's, and what of it a filter selects. */
export interface Selected {
  readonly bank: Bank;
  readonly scope: Scope;
  /** Undefined: all of it. */
  readonly filter: Filter | undefined;
}

/** What a key sees through mem0's routes: the banks that were made through them. */
export class Project {
  readonly #memory: Memory;
  readonly #caller: Caller;

  constructor(memory: Memory, caller: Caller) {
    this.#memory = memory;
    this.#caller = caller;
  }

  /** @throws {@link Problem} 400: a filter has to say whose memories it is about. */
  async select(filter: unknown): Promise<Selected[]> {
    // What makes no sense is refused, whether there is a bank to ask it of or not.
    if (filter !== undefined) residueOf(filter, {});
    if (!namesScope(filter)) {
      throw new Problem(
        400,
        "BAD_REQUEST",
        "filters: at least one of user_id, agent_id, app_id and run_id is needed",
      );
    }
    const selected: Selected[] = [];
    for (const { name, scope } of await this.banks()) {
      const residue = residueOf(filter, scope);
      if (residue === false) continue;
      selected.push({
        bank: this.#memory.bank(name),
        scope,
        filter: residue === true ? undefined : residue,
      });
    }
    return selected;
  }

  /** @throws {@link Problem} 403 for a key without a project, whatever the store holds. */
  async banks(): Promise<{ readonly name: string; readonly scope: Scope }[]> {
    prefixOf(this.#caller);
    const found: { name: string; scope: Scope }[] = [];
    for (const name of await this.#memory.banks()) {
      const scope = scopeOf(this.#caller, name);
      if (scope !== undefined) found.push({ name, scope });
    }
    return found;
  }

  /** All entries that were selected, bank by bank, oldest first. */
  async *entries(selected: readonly Selected[]): AsyncGenerator<{ of: Selected; entry: Entry }> {
    for (const of of selected) {
      for await (const entry of entriesOf(of.bank, of.filter)) yield { of, entry };
    }
  }

  /** A memory as mem0 has it. */
  toMemory(bank: string, scope: Scope, entry: Entry): Mem0Memory {
    const { id, content, metadata, session, role, at, ingestedAt, expiresAt } = entry;
    const run = scope.run_id ?? runOfSession(session) ?? null;
    return {
      id: memoryIdOf(this.#caller, bank, id),
      memory: content,
      user_id: scope.user_id ?? null,
      agent_id: scope.agent_id ?? null,
      app_id: scope.app_id ?? null,
      run_id: run,
      metadata: Object.keys(metadata).length === 0 ? null : metadata,
      categories: categoriesOf(metadata),
      role,
      created_at: at.toISOString(),
      updated_at: ingestedAt.toISOString(),
      expiration_date: expiresAt === undefined ? null : expiresAt.toISOString().slice(0, 10),
    };
  }
}

/** Those that an import from mem0 brought along. */
function categoriesOf({ mem0 }: JsonObject): readonly JsonValue[] {
  const categories = isPlainObject(mem0) ? (mem0 as JsonObject)["categories"] : undefined;
  return Array.isArray(categories) ? (categories as readonly JsonValue[]) : [];
}

/** What the client makes into camel case. */
export interface Mem0Memory {
  readonly id: string;
  readonly memory: string;
  readonly user_id: string | null;
  readonly agent_id: string | null;
  readonly app_id: string | null;
  readonly run_id: string | null;
  readonly metadata: object | null;
  readonly categories: readonly JsonValue[];
  readonly role: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expiration_date: string | null;
}
