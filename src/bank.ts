import { ordinalOf, toEntry } from "./bank-state.js";
import { type EncodedTurn, encodeTurn } from "./encode-turn.js";
import { checkEach, expected } from "./internal/check.js";
import { nextSlice, sliceIsOver } from "./internal/slices.js";
import { withCancel } from "./native/cancel.js";
import {
  type AddManyOptions,
  checkAddManyOptions,
  checkId,
  checkListOptions,
  checkRecallOptions,
  type ListOptions,
  type RecallOptions,
} from "./options.js";
import { recall } from "./recall/recall.js";
import { strategyNamed } from "./recall/strategies.js";
import type { Store } from "./store.js";
import { type CheckedTurn, checkTurn } from "./turn.js";
import type { AddResult, BankStats, Entry, Recall, Turn } from "./types.js";

/**
 * Makes a bank, which is for memories to do.
 *
 * @internal
 */
export let makeBank: (store: Store, name: string) => Bank;

/** Entries that are read back without a look at the clock: some tenths of a millisecond. */
const READ_AT_ONCE = 64;

/**
 * One isolated memory: of a user, an agent, a project. No call on it can see another bank.
 *
 * ```ts
 * const bank = memory.bank("user-42");
 * await bank.add({ role: "user", speaker: "Ana", content: "I moved to Lisbon in May" });
 * const { text } = await bank.recall("Where does she live?", { budget: 500 });
 * ```
 *
 * A bank is made by {@link Memory.bank}, comes to be with its first entry, and is gone when it is
 * dropped; the object, which is only a name, can be used again after that.
 */
export class Bank {
  /** What {@link Memory.bank} was asked for. */
  readonly name: string;
  readonly #store: Store;

  static {
    makeBank = (store, name) => new Bank(store, name);
  }

  private constructor(store: Store, name: string) {
    this.#store = store;
    this.name = name;
  }

  /**
   * Stores a turn. Once the promise resolves, every later recall sees it.
   *
   * @throws TypeError, RangeError: a turn that is not one. Nothing is stored.
   * @throws {@link DentateError} `DENTATE_CLOSED`, `DENTATE_OUT_OF_MEMORY`.
   */
  async add(turn: Turn): Promise<AddResult> {
    return this.#store.write(async () => {
      const checked = checkTurn("turn", turn);
      if (sliceIsOver()) await nextSlice();
      return this.#append([this.#encode(checked)])[0]!;
    });
  }

  /**
   * Stores all the turns, in their order, or none of them. Meanwhile others get their turn on the
   * event loop, except while the encoded turns are appended: some microseconds for each.
   *
   * @throws TypeError, RangeError: one of the turns is none; it is named by its index.
   * @throws {@link DentateError} `DENTATE_ABORTED`, `DENTATE_CLOSED`, `DENTATE_OUT_OF_MEMORY`.
   */
  async addMany(turns: readonly Turn[], options?: AddManyOptions): Promise<AddResult[]> {
    if (!Array.isArray(turns)) throw expected("turns", "an array of turns", turns);
    const { signal } = checkAddManyOptions(options);
    const checked = checkEach(turns, (turn, i) => checkTurn(`turns[${i}]`, turn));
    return this.#store.write(() =>
      withCancel(signal, async () => {
        const encoded: EncodedTurn[] = [];
        for (const turn of checked) {
          if (sliceIsOver()) await nextSlice();
          if (signal?.aborted) throw signal.reason;
          encoded.push(this.#encode(turn));
        }
        return this.#append(encoded);
      }),
    );
  }

  /**
   * The best that the bank holds on a question, as a text of at most `budget` tokens.
   *
   * @throws TypeError, RangeError: an option that is unknown or makes no sense.
   * @throws {@link DentateError} `DENTATE_ABORTED`, `DENTATE_CLOSED`; what `keywords` or `countTokens`
   * throw is passed on.
   */
  async recall(question: string, options?: RecallOptions): Promise<Recall> {
    this.#store.assertOpen();
    const resolved = checkRecallOptions(question, options, this.#store.encoder.bits);
    const find = () => this.#store.findOrEmpty(this.name);
    return recall(this.#store, find, question, strategyNamed(resolved.strategy), resolved);
  }

  /** The entry of this id, or undefined if there is none. */
  async get(id: string): Promise<Entry | undefined> {
    this.#store.assertOpen();
    const ordinal = ordinalOf(checkId("id", id));
    const state = this.#store.find(this.name);
    if (ordinal === undefined || state === undefined || ordinal >= state.entryCount) {
      return undefined;
    }
    return toEntry(state.read(Uint32Array.of(ordinal))[0]!);
  }

  /** A page of entries in the order of adding; it is the last one if it is shorter than `limit`. */
  async list(options?: ListOptions): Promise<Entry[]> {
    this.#store.assertOpen();
    const { after, limit } = checkListOptions(options);
    const state = this.#store.find(this.name);
    const first = after === undefined ? 0 : (ordinalOf(after) ?? Number.POSITIVE_INFINITY) + 1;
    const end = Math.min(first + limit, state?.entryCount ?? 0);
    const entries: Entry[] = [];
    for (let from = first; state !== undefined && from < end; from += READ_AT_ONCE) {
      if (sliceIsOver()) await nextSlice();
      const count = Math.min(READ_AT_ONCE, end - from);
      const ordinals = new Uint32Array(count).map((_, i) => from + i);
      for (const stored of state.read(ordinals)) entries.push(toEntry(stored));
    }
    return entries;
  }

  /** How much the bank holds, and in how many bytes. */
  async stats(): Promise<BankStats> {
    this.#store.assertOpen();
    const state = this.#store.find(this.name);
    if (state === undefined) return { entries: 0, tokens: 0, sessions: 0, bytes: 0, parts: {} };
    const { bytes, sizeInBytes } = state.native.stats();
    return {
      entries: state.entryCount,
      tokens: state.native.tokenCount,
      sessions: state.sessionCount,
      bytes: sizeInBytes,
      parts: bytes,
    };
  }

  #encode(turn: CheckedTurn): EncodedTurn {
    return encodeTurn(turn, this.#store.tokenizer, this.#store.encoder);
  }

  #append(turns: readonly EncodedTurn[]): AddResult[] {
    if (turns.length === 0) return [];
    const state = this.#store.findOrCreate(this.name);
    const results = state.append(turns);
    this.#store.keep(this.name, state);
    return results;
  }
}
