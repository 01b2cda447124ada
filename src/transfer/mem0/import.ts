import { entriesOf } from "../../adapters/entries.js";
import type { Memory } from "../../memory.js";
import type { JsonObject, TurnPatch } from "../../types.js";
import { parseLine } from "../line.js";
import { type Mem0Memory, memoriesOf } from "./memory.js";
import { bankNameOf, sessionOfRun } from "./place.js";

/** How mem0's memories are taken in. */
export interface Mem0ImportOptions {
  /** What the banks' names begin with: that of the API key which is to find them. None unless given. */
  readonly prefix?: string | undefined;
  /** Whose those memories are that name nobody; without it they are a mistake. */
  readonly userId?: string | undefined;
  /** Look at everything and store nothing. */
  readonly dryRun?: boolean | undefined;
  /** Called after each batch. */
  readonly onProgress?: ((result: Mem0ImportResult) => void) | undefined;
}

/** What an import came to. */
export interface Mem0ImportResult {
  readonly banks: number;
  readonly added: number;
  /** Were there, and mem0 has changed them since. */
  readonly updated: number;
  /** Were there. */
  readonly unchanged: number;
}

const BATCH = 10_000;
/** Characters that wait until they are stored. */
const BATCH_LENGTH = 16 * 1024 * 1024;
/** Banks that are filled at once: they share their trips to the disk. */
const AT_ONCE = 64;
/** Under it an entry's metadata has what was mem0's. */
const FIELD = "mem0";
/** A memory that says nothing of who said it was a user's. */
const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system"]);

/** What a bank has of mem0 already, by mem0's id. */
type Known = Map<string, { readonly entry: string | undefined; readonly updatedAt: number }>;

interface Wanted {
  readonly memory: Mem0Memory;
  readonly metadata: JsonObject;
  /** As an export of ours has it. */
  readonly line: string;
}

/**
 * Stores memories of mem0's, each in the bank where the service's routes for mem0's client look for it. When
 * something was said is when mem0 made the memory, when it was stored is when mem0 last changed it.
 * The metadata is its owner's, and `mem0` in it is what mem0 had: id, hash, categories.
 *
 * A memory whose id is there is not stored again, and changed where mem0 has changed it since, so
 * that an import that broke off, or one of the changes since the last, is simply run again.
 *
 * @param source One after the other, what mem0's `getAll`, `search` or exports answer, or points of its vector store.
 * @throws TypeError, RangeError which names the memory; those of batches before it are stored.
 */
export async function importMem0(
  memory: Memory,
  source: AsyncIterable<unknown> | Iterable<unknown>,
  options: Mem0ImportOptions = {},
): Promise<Mem0ImportResult> {
  const run = new Mem0Import(memory, options);
  let number = 0;
  for await (const element of source) {
    for (const one of memoriesOf(element, `memory ${++number}`)) {
      run.take(one, `memory ${number} ("${one.id}")`);
      if (run.isFull) await run.flush();
    }
  }
  await run.flush();
  return run.result;
}

class Mem0Import {
  readonly #memory: Memory;
  readonly #options: Mem0ImportOptions;
  readonly #known = new Map<string, Known>();
  readonly #there: Promise<ReadonlySet<string>>;
  /** What waits, by bank. */
  #waiting = new Map<string, Wanted[]>();
  #count = 0;
  #length = 0;
  #added = 0;
  #updated = 0;
  #unchanged = 0;

  constructor(memory: Memory, options: Mem0ImportOptions) {
    this.#memory = memory;
    this.#options = options;
    this.#there = memory.banks().then((names) => new Set(names));
  }

  get result(): Mem0ImportResult {
    return {
      banks: this.#known.size,
      ...{ added: this.#added, updated: this.#updated, unchanged: this.#unchanged },
    };
  }

  get isFull(): boolean {
    return this.#count >= BATCH || this.#length >= BATCH_LENGTH;
  }

  take(memory: Mem0Memory, where: string): void {
    const { prefix = "", userId } = this.#options;
    const bank = bankNameOf(prefix, memory) ?? bankNameOf(prefix, { user_id: userId });
    if (bank === undefined) {
      throw new TypeError(`${where}: names no user, agent, app or run`);
    }
    const metadata = metadataOf(memory);
    const line = JSON.stringify(lineOf(bank, memory, metadata));
    // What the store would refuse is refused by name, and before anything of its batch is stored.
    parseLine(where, line);
    const waiting = this.#waiting.get(bank) ?? [];
    this.#waiting.set(bank, waiting);
    waiting.push({ memory, metadata, line });
    this.#count++;
    this.#length += line.length;
  }

  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#count = 0;
    this.#length = 0;
    const lines = new Map<string, string[]>();
    const updates: (readonly [string, string, TurnPatch])[] = [];
    for (const [bank, wanted] of waiting) {
      const known = await this.#knownOf(bank);
      for (const one of wanted) {
        const { id, updatedAt = 0 } = one.memory;
        const before = known.get(id);
        if (before === undefined) {
          const own = lines.get(bank) ?? [];
          lines.set(bank, own);
          own.push(`${one.line}\n`);
          this.#added++;
        } else if (before.entry !== undefined && updatedAt > before.updatedAt) {
          updates.push([bank, before.entry, patchOf(one)]);
          this.#updated++;
        } else {
          this.#unchanged++;
          continue;
        }
        // Its entry's id plays no part any more: what comes twice in one source is the same.
        known.set(id, { entry: undefined, updatedAt });
      }
    }
    if (this.#options.dryRun !== true) {
      const banks = [...lines.values()];
      for (let i = 0; i < banks.length; i += AT_ONCE) {
        const some = banks.slice(i, i + AT_ONCE);
        await Promise.all(some.map((own) => this.#memory.import(own)));
      }
      for (const [bank, entry, patch] of updates) {
        await this.#memory.bank(bank).update(entry, patch);
      }
    }
    this.#options.onProgress?.(this.result);
  }

  async #knownOf(bank: string): Promise<Known> {
    const before = this.#known.get(bank);
    if (before !== undefined) return before;
    const known: Known = new Map();
    this.#known.set(bank, known);
    // To look for one makes it, which a dry run must not.
    if (!(await this.#there).has(bank)) return known;
    for await (const { id: entry, metadata } of entriesOf(this.#memory.bank(bank))) {
      const { id, updated_at: updatedAt } = (metadata[FIELD] ?? {}) as Record<string, unknown>;
      if (typeof id !== "string") continue;
      known.set(id, { entry, updatedAt: Date.parse(String(updatedAt ?? "")) || 0 });
    }
    return known;
  }
}

function metadataOf({ id, metadata, others, role, updatedAt }: Mem0Memory): JsonObject {
  const shadowed = metadata[FIELD];
  return {
    ...metadata,
    [FIELD]: {
      ...others,
      id,
      ...(role !== undefined && !ROLES.has(role) && { role }),
      ...(updatedAt !== undefined && { updated_at: new Date(updatedAt).toISOString() }),
      ...(shadowed !== undefined && { metadata: { [FIELD]: shadowed } }),
    },
  };
}

/** The memory as a line of an export of ours. */
function lineOf(bank: string, memory: Mem0Memory, metadata: JsonObject): object {
  const { text, run_id, role, actor, createdAt, updatedAt, expiresAt } = memory;
  const at = createdAt ?? updatedAt;
  return {
    ...{ bank, role: ROLES.has(role) ? role : "user", content: text, metadata },
    ...{
      speaker: actor,
      session: run_id === undefined ? undefined : sessionOfRun(run_id),
      at,
      ingestedAt: updatedAt ?? at,
      expiresAt,
    },
  };
}

function patchOf({ memory, metadata }: Wanted): TurnPatch {
  const { text, createdAt, expiresAt } = memory;
  return {
    ...{ content: text, metadata, expiresAt: expiresAt ?? null },
    ...(createdAt !== undefined && { at: createdAt }),
  };
}
