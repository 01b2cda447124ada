import { isDeepStrictEqual } from "node:util";
import type { Filter } from "../filter.js";
import type { AddManyOptions, AddOptions, ListOptions, RecallOptions } from "../options.js";
import type { AddResult, BankStats, Entry, Recall, Turn, TurnPatch } from "../types.js";
import type { SharedMemory } from "./shared-memory.js";

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
  async add(turn: Turn, options: AddOptions = {}): Promise<AddResult> {
    const dated = withTime(turn);
    return this.#memory.write(this.name, "add", [dated, options], async () => {
      const id = await this.#find(dated);
      return id === undefined ? undefined : { id, status: "added" };
    });
  }

  /** As `Bank.addMany`: all of them or none. */
  async addMany(
    turns: readonly Turn[],
    options: Omit<AddManyOptions, "signal"> = {},
  ): Promise<AddResult[]> {
    const dated = turns.map(withTime);
    return this.#memory.write(this.name, "addMany", [dated, options], async () => {
      // All of a batch is there or none.
      const ids = await Promise.all(dated.map((turn) => this.#find(turn)));
      if (ids.length === 0 || ids.includes(undefined)) return undefined;
      return ids.map((id): AddResult => ({ id: id!, status: "added" }));
    });
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

  /** The latest entry that is this turn: its time is this process's, to the millisecond. */
  async #find(turn: Turn): Promise<string | undefined> {
    const { at, content, session = "default", role, metadata = {} } = turn;
    const found = await this.list({ filter: { at: { gte: at!, lte: at! }, session, role } });
    const text =
      typeof content === "string" ? content : content.map((part) => part.text).join("\n");
    const same = found.findLast(
      (entry) => entry.content === text && isDeepStrictEqual(entry.metadata, metadata),
    );
    return same?.id;
  }
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
