import { isDeepStrictEqual } from "node:util";
import { entriesOf } from "../adapters/entries.js";
import type { Filter } from "../filter.js";
import type { AddManyOptions, AddOptions, KeepsRecalled, ListOptions } from "../options.js";
import { newTextOf } from "../pack/strip-recalled.js";
import type { RecallOptions } from "../recall/options.js";
import type {
  AddResult,
  BankStats,
  Entry,
  Recall,
  RecalledOnly,
  Turn,
  TurnPatch,
} from "../types.js";
import type { SharedMemory } from "./shared-memory.js";

type Added = AddResult | RecalledOnly;

/**
 * A bank of a store that several processes share: what `Bank` of a `Memory` is, but that its writes may
 * travel. Dates travel as texts, so that metadata and the like arrive as they were.
 */
export class SharedBank {
  readonly name: string;
  readonly #memory: SharedMemory;

  constructor(memory: SharedMemory, name: string) {
    this.#memory = memory;
    this.name = name;
  }

  /** As `Bank.add`: it resolves when the turn is on disk, whoever writes it there. */
  add(turn: Turn, options?: AddOptions & KeepsRecalled): Promise<AddResult>;
  add(turn: Turn, options?: AddOptions): Promise<AddResult | RecalledOnly>;
  async add(turn: Turn, options: AddOptions = {}): Promise<AddResult | RecalledOnly> {
    const dated = withTime(turn);
    const [result] = await this.#added("add", [dated, options], [dated], options);
    return result!;
  }

  /** As `Bank.addMany`: all of them or none. */
  addMany(
    turns: readonly Turn[],
    options?: Omit<AddManyOptions, "signal"> & KeepsRecalled,
  ): Promise<AddResult[]>;
  addMany(
    turns: readonly Turn[],
    options?: Omit<AddManyOptions, "signal">,
  ): Promise<(AddResult | RecalledOnly)[]>;
  async addMany(
    turns: readonly Turn[],
    options: Omit<AddManyOptions, "signal"> = {},
  ): Promise<(AddResult | RecalledOnly)[]> {
    const dated = turns.map(withTime);
    return this.#added("addMany", [dated, options], dated, options);
  }

  /** As `Bank.update`. */
  async update(id: string, patch: TurnPatch): Promise<Entry | undefined> {
    const entry = await this.#memory.write<Entry | null>(
      this.name,
      "update",
      [id, patch],
      NOT_FOUND,
    );
    return revive(entry);
  }

  /** What was deleted by an attempt whose answer was lost is 0 at the next. */
  delete(id: string): Promise<number> {
    return this.#memory.write<number>(this.name, "delete", [id], NOT_FOUND);
  }

  /** As `Bank.deleteWhere`. */
  deleteWhere(filter: Filter): Promise<number> {
    return this.#memory.write<number>(this.name, "deleteWhere", [filter], NOT_FOUND);
  }

  /** As `Bank.recall`, of what every process has acknowledged by now. */
  async recall(question: string, options?: RecallOptions): Promise<Recall> {
    return (await this.#memory.fresh()).bank(this.name).recall(question, options);
  }

  /** As `Bank.get`. */
  async get(id: string): Promise<Entry | undefined> {
    return (await this.#memory.fresh()).bank(this.name).get(id);
  }

  /** As `Bank.list`. */
  async list(options?: ListOptions): Promise<Entry[]> {
    return (await this.#memory.fresh()).bank(this.name).list(options);
  }

  /** As `Bank.history`. */
  async history(id: string): Promise<Entry[]> {
    return (await this.#memory.fresh()).bank(this.name).history(id);
  }

  /** As `Bank.stats`. */
  async stats(): Promise<BankStats> {
    return (await this.#memory.fresh()).bank(this.name).stats();
  }

  async #added(
    method: "add" | "addMany",
    args: readonly unknown[],
    turns: readonly Turn[],
    options: AddOptions,
  ): Promise<Added[]> {
    const result = await this.#memory.write<Added | Added[]>(this.name, method, args, () =>
      this.#find(turns, options),
    );
    const results = Array.isArray(result) ? result : [result];
    const { acknowledged } = this.#memory;
    for (const { id } of results) if (id !== undefined) acknowledged.add(this.#key(id));
    for (const oldest of acknowledged) {
      if (acknowledged.size <= MOST_ACKNOWLEDGED) break;
      acknowledged.delete(oldest);
    }
    return results;
  }

  /**
   * The latest entries that are these turns, one for each: their times are this process's, to the
   * millisecond. Undefined unless all are there, since a batch is there or it is not.
   */
  async #find(turns: readonly Turn[], options: AddOptions): Promise<Added[] | undefined> {
    if (turns.length === 0) return undefined;
    const bank = (await this.#memory.fresh()).bank(this.name);
    const results: Added[] = [];
    for (const [at, indices] of byTime(turns)) {
      const found: Entry[] = [];
      for await (const entry of entriesOf(bank, { at: { gte: at, lte: at } })) found.push(entry);
      // From the last to the first, as they are most likely there.
      for (const i of indices.reverse()) {
        const text = keptOf(turns[i]!, options);
        if (text === undefined) {
          results[i] = { status: "recalled" };
          continue;
        }
        const isSame = sameAs(turns[i]!, text);
        const k = found.findLastIndex(
          (entry) => !this.#memory.acknowledged.has(this.#key(entry.id)) && isSame(entry),
        );
        if (k < 0) return undefined;
        results[i] = { id: found[k]!.id, status: "added" };
        found.splice(k, 1);
      }
    }
    // At once, so that another search does not take them as well.
    for (const { id } of results) {
      if (id !== undefined) this.#memory.acknowledged.add(this.#key(id));
    }
    return results;
  }

  #key(id: string): string {
    return `${this.name}/${id}`;
  }
}

/** More than any process writes in a millisecond. */
const MOST_ACKNOWLEDGED = 100_000;

/** Which turns are of which time. */
function byTime(turns: readonly Turn[]): Map<string | number, number[]> {
  const times = new Map<string | number, number[]>();
  for (const [i, { at }] of turns.entries()) {
    const key = at as string | number;
    const indices = times.get(key);
    if (indices === undefined) times.set(key, [i]);
    else indices.push(i);
  }
  return times;
}

/** The text that is stored of a turn; undefined where the turn is not. */
function keptOf(turn: Turn, { stripRecalled: strips }: AddOptions): string | undefined {
  const { content } = turn;
  const given = typeof content === "string" ? content : content.map((part) => part.text).join("\n");
  const kept = strips === true ? newTextOf(given, turn.toolCallId) : given;
  // Half of a surrogate pair is kept as U+FFFD.
  return kept === undefined ? undefined : Buffer.from(kept).toString();
}

/** Whether an entry is what a turn of this text became. */
function sameAs(turn: Turn, text: string): (entry: Entry) => boolean {
  const { session = "default", role, speaker, metadata = {} } = turn;
  return (entry) =>
    entry.content === text &&
    entry.session === session &&
    entry.role === role &&
    entry.speaker === speaker &&
    isDeepStrictEqual(entry.metadata, metadata);
}

/** These can be done again: nothing is looked for. */
const NOT_FOUND = async () => undefined;

/** A turn has its time before it travels: so it can be found again, and waiting does not date it. */
function withTime(turn: Turn): Turn {
  const at = turn.at instanceof Date ? turn.at.toISOString() : (turn.at ?? Date.now());
  const { expiresAt } = turn;
  return {
    ...turn,
    at,
    ...(expiresAt instanceof Date && { expiresAt: expiresAt.toISOString() }),
  };
}

function revive(entry: Entry | undefined | null): Entry | undefined {
  if (entry === undefined || entry === null) return undefined;
  const { at, ingestedAt, expiresAt } = entry;
  return {
    ...entry,
    at: new Date(at),
    ingestedAt: new Date(ingestedAt),
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
  };
}
