import { type Bank, makeBank } from "./bank.js";
import { DentateError } from "./errors.js";
import {
  type AddManyOptions,
  checkBankName,
  checkMemoryOptions,
  DEFAULT_BANK,
  type ListOptions,
  type MemoryOptions,
  type RecallOptions,
} from "./options.js";
import { Store } from "./store.js";
import type { AddResult, BankStats, Entry, Recall, Turn } from "./types.js";

/**
 * A memory for agents: what is said goes in with {@link add}, and {@link recall} gives back, for a
 * question and a token budget, the text to put into a prompt. No language model is called.
 *
 * ```ts
 * const memory = await Memory.open({ inMemory: true });
 * try {
 *   await memory.add({ role: "user", speaker: "Ana", content: "I moved to Lisbon in May" });
 *   const { text } = await memory.recall("Where does Ana live?", { budget: 500 });
 * } finally {
 *   await memory.close();
 * }
 * ```
 *
 * A memory has banks, which know nothing of each other; its own methods are those of bank `default`.
 */
export class Memory implements AsyncDisposable {
  readonly #store: Store;
  readonly #default: Bank;

  private constructor(store: Store) {
    this.#store = store;
    this.#default = makeBank(store, DEFAULT_BANK);
  }

  /** Opens a memory that lives in this process and leaves nothing behind. */
  static async open(options: MemoryOptions & { readonly inMemory: true }): Promise<Memory>;
  /**
   * Opens the memory in a directory.
   *
   * @throws {@link DentateError} `DENTATE_UNAVAILABLE`: this version has no durable memories yet.
   */
  static async open(directory: string, options?: MemoryOptions): Promise<Memory>;
  static async open(target: unknown, rest?: unknown): Promise<Memory> {
    const options = checkMemoryOptions(target, rest);
    if (options.directory !== undefined) {
      throw new DentateError(
        "DENTATE_UNAVAILABLE",
        "this version keeps no memories on disk; open one with { inMemory: true }",
      );
    }
    return new Memory(new Store(options));
  }

  /**
   * The bank of this name; it need not hold anything.
   *
   * @throws {@link DentateError} `DENTATE_CLOSED`.
   */
  bank(name: string): Bank {
    this.#store.assertOpen();
    return makeBank(this.#store, checkBankName("name", name));
  }

  /** The names of the banks that hold entries, sorted. */
  async banks(): Promise<string[]> {
    this.#store.assertOpen();
    return this.#store.names();
  }

  /** Forgets a bank and everything in it; false if it held nothing. */
  async dropBank(name: string): Promise<boolean> {
    this.#store.assertOpen();
    return this.#store.drop(checkBankName("name", name));
  }

  /** {@link Bank.add} of bank `default`. */
  add(turn: Turn): Promise<AddResult> {
    return this.#default.add(turn);
  }

  /** {@link Bank.addMany} of bank `default`. */
  addMany(turns: readonly Turn[], options?: AddManyOptions): Promise<AddResult[]> {
    return this.#default.addMany(turns, options);
  }

  /** {@link Bank.recall} of bank `default`. */
  recall(question: string, options?: RecallOptions): Promise<Recall> {
    return this.#default.recall(question, options);
  }

  /** {@link Bank.get} of bank `default`. */
  get(id: string): Promise<Entry | undefined> {
    return this.#default.get(id);
  }

  /** {@link Bank.list} of bank `default`. */
  list(options?: ListOptions): Promise<Entry[]> {
    return this.#default.list(options);
  }

  /** {@link Bank.stats} of bank `default`. */
  stats(): Promise<BankStats> {
    return this.#default.stats();
  }

  /**
   * Ends the memory, once the adds called before are done; recalls under way reject. What is called
   * later rejects with `DENTATE_CLOSED`, except this, which may be called again.
   */
  close(): Promise<void> {
    return this.#store.close();
  }

  /** {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
