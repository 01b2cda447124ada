import type { Writable } from "node:stream";
import { type Bank, makeBank } from "./bank.js";
import type { Filter } from "./filter.js";
import {
  checkDirectory,
  checkKey,
  checkMemoryOptions,
  type MemoryOptions,
} from "./memory-options.js";
import { loadBinding } from "./native/binding.js";
import { withCancel } from "./native/cancel.js";
import {
  type AddManyOptions,
  type AddOptions,
  checkBankName,
  checkLongOptions,
  checkReindexOptions,
  checkVerifyOptions,
  DEFAULT_BANK,
  type IndexedOptions,
  type KeepsRecalled,
  type ListOptions,
  type LongOptions,
  type ReindexOptions,
  type VerifyOptions,
} from "./options.js";
import type { RecallOptions } from "./recall/options.js";
import type { Store } from "./store.js";
import { type ExportOptions, exportTo } from "./transfer/export.js";
import { type ImportOptions, type ImportResult, importFrom } from "./transfer/import.js";
import {
  checkExportOptions,
  checkImportOptions,
  checkReadable,
  checkWritable,
} from "./transfer/options.js";
import { openStore, reindex, removeScratch } from "./transfer/reindex.js";
import type {
  AddResult,
  BankStats,
  Damage,
  Entry,
  PurgeReceipt,
  Recall,
  RecalledOnly,
  StorageStats,
  Turn,
  TurnPatch,
} from "./types.js";

/**
 * A memory for agents: what is said goes in with {@link add}, and {@link recall} gives back, for a
 * question and a token budget, the text to put into a prompt. No language model is called.
 *
 * ```ts
 * const memory = await Memory.open("./agent-memory");
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
   * Opens the memory in a directory, which is made where there is none.
   *
   * One process at a time can have it open for writing; in that process several can, such as worker
   * threads, and share one store. Any number can have it open with `readOnly` meanwhile.
   *
   * @throws TypeError, RangeError: an option that is unknown or makes no sense.
   * @throws {@link DentateError} `DENTATE_LOCKED`: another process writes to it; its pid is in the
   * message. `DENTATE_MISMATCH`: it was made with another encoder or tokenizer. `DENTATE_CORRUPTION`,
   * `DENTATE_VERSION`, `DENTATE_IO`; `DENTATE_UNAVAILABLE` for readers: there is no store.
   */
  static async open(directory: string, options?: MemoryOptions): Promise<Memory>;
  static async open(target: unknown, rest?: unknown): Promise<Memory> {
    return new Memory(await openStore(checkMemoryOptions(target, rest)));
  }

  /**
   * Reads all files of a memory in a directory, which need not be one that can be opened, and checks
   * every checksum in them. Resolves to what is damaged: nothing, if all is well.
   *
   * @throws {@link DentateError} `DENTATE_IO`: there is no memory, or no right to read it;
   * `DENTATE_KEY`, `DENTATE_VERSION`, `DENTATE_ABORTED`.
   */
  static async verify(directory: string, options?: VerifyOptions): Promise<readonly Damage[]> {
    const path = checkDirectory("directory", directory);
    const { key, signal } = checkVerifyOptions(options);
    return withCancel(signal, (cancel) => loadBinding().Store.verifyFiles(path, key, cancel));
  }

  /** Whether it was opened for reading only. */
  get readOnly(): boolean {
    return this.#store.readOnly;
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

  /**
   * The names of the banks that were given entries and not dropped, sorted: those, too, whose entries
   * are all deleted by now, since their ids are not given again.
   */
  async banks(): Promise<string[]> {
    this.#store.assertOpen();
    return this.#store.native.banks();
  }

  /**
   * Forgets a bank and everything in it; false if it held nothing. Its bytes go from the disk with
   * {@link purge}.
   */
  async dropBank(name: string): Promise<boolean> {
    return this.#store.write(async () => {
      const checked = checkBankName("name", name);
      this.#store.adds.flush();
      const { sequence, existed } = this.#store.native.dropBank(checked);
      await this.#store.waits.until(sequence);
      return existed;
    });
  }

  /** {@link Bank.add} of bank `default`. */
  add(turn: Turn, options?: AddOptions & KeepsRecalled): Promise<AddResult>;
  add(turn: Turn, options?: AddOptions): Promise<AddResult | RecalledOnly>;
  add(turn: Turn, options?: AddOptions): Promise<AddResult | RecalledOnly> {
    return this.#default.add(turn, options);
  }

  /** {@link Bank.addMany} of bank `default`. */
  addMany(turns: readonly Turn[], options?: AddManyOptions & KeepsRecalled): Promise<AddResult[]>;
  addMany(turns: readonly Turn[], options?: AddManyOptions): Promise<(AddResult | RecalledOnly)[]>;
  addMany(turns: readonly Turn[], options?: AddManyOptions): Promise<(AddResult | RecalledOnly)[]> {
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

  /** {@link Bank.history} of bank `default`. */
  history(id: string): Promise<Entry[]> {
    return this.#default.history(id);
  }

  /** {@link Bank.update} of bank `default`. */
  update(id: string, patch: TurnPatch): Promise<Entry | undefined> {
    return this.#default.update(id, patch);
  }

  /** {@link Bank.delete} of bank `default`. */
  delete(id: string): Promise<number> {
    return this.#default.delete(id);
  }

  /** {@link Bank.deleteWhere} of bank `default`. */
  deleteWhere(filter: Filter): Promise<number> {
    return this.#default.deleteWhere(filter);
  }

  /** {@link Bank.indexed} of bank `default`. */
  indexed(options?: IndexedOptions): Promise<void> {
    return this.#default.indexed(options);
  }

  /** {@link Bank.stats} of bank `default`. */
  stats(): Promise<BankStats> {
    return this.#default.stats();
  }

  /**
   * Rewrites what holds deleted bytes, so that nothing in the directory holds them any more: those of
   * deleted and expired entries, of dropped banks, and of versions that were superseded. What all is
   * left, and what shares words with it, stays as it was.
   *
   * @throws {@link DentateError} `DENTATE_ABORTED`, `DENTATE_IO`; whatever was not reached still holds
   * what it held.
   */
  async purge(options?: LongOptions): Promise<PurgeReceipt> {
    const { signal } = checkLongOptions(options);
    return this.#store.write(() =>
      this.#store.inTurn(async () => {
        // Before the engine's own step, which syncs the directory.
        await removeScratch(this.#store.directory);
        return withCancel(signal, (cancel) => this.#store.native.purge(cancel));
      }),
    );
  }

  /** Puts what the log holds into a segment now; it happens by itself as the log grows. */
  async seal(): Promise<void> {
    return this.#store.write(() => {
      this.#store.adds.flush();
      return this.#store.native.seal();
    });
  }

  /**
   * Merges the segments into as few as can be. It happens by itself as far as it pays.
   *
   * @throws {@link DentateError} `DENTATE_ABORTED`, `DENTATE_IO`.
   */
  async compact(options?: LongOptions): Promise<void> {
    const { signal } = checkLongOptions(options);
    return this.#store.write(() =>
      withCancel(signal, (cancel) => this.#store.native.compact(cancel)),
    );
  }

  /** Resolves when all that was added so far is on the disk, whatever the durability. */
  async flush(): Promise<void> {
    return this.#store.write(() => {
      this.#store.adds.flush();
      return this.#store.native.flush();
    });
  }

  /** Of a memory that is only read: takes in now what the writer has made durable. */
  async refresh(): Promise<void> {
    this.#store.assertOpen();
    await this.#store.untilClosed(this.#store.native.refresh());
  }

  /**
   * Copies the store, as it is at one moment, into a directory that is missing or empty; adds and
   * recalls go on meanwhile. The copy can be opened as any other.
   *
   * @throws {@link DentateError} `DENTATE_ABORTED`, `DENTATE_IO`; `DENTATE_UNAVAILABLE` for a memory
   * without a directory.
   */
  async backup(directory: string, options?: LongOptions): Promise<void> {
    this.#store.assertOpen();
    const target = checkDirectory("directory", directory);
    const { signal } = checkLongOptions(options);
    await this.#store.untilClosed(
      withCancel(signal, (cancel) => this.#store.native.backup(target, cancel)),
    );
  }

  /**
   * Reads all files again and checks every checksum in them. Resolves to what is damaged: nothing, if
   * all is well. (Of a memory that cannot be opened, {@link Memory.verify} of its directory tells.)
   *
   * @throws {@link DentateError} `DENTATE_ABORTED`, `DENTATE_IO`.
   */
  async verify(options?: LongOptions): Promise<readonly Damage[]> {
    this.#store.assertOpen();
    const { signal } = checkLongOptions(options);
    return this.#store.untilClosed(
      withCancel(signal, (cancel) => this.#store.native.verify(cancel)),
    );
  }

  /**
   * Writes the memory, or some of its banks, as lines of JSON (docs/storage.md): everything that
   * `import` needs to make it again, ids, versions and times too. The stream is ended. Each bank is
   * written as it is when its turn comes. Resolves to the number of entries.
   *
   * @throws {@link DentateError} `DENTATE_ABORTED`; what the stream fails with is passed on.
   */
  async export(stream: Writable, options?: ExportOptions): Promise<number> {
    this.#store.assertOpen();
    checkWritable("stream", stream);
    const checked = checkExportOptions(options);
    return withCancel(checked.signal, () => exportTo(this.#store, stream, checked));
  }

  /**
   * Adds what {@link export} wrote, or any lines of JSON that are turns. A bank that has given out no
   * ids yet gets the exported ones, versions and times; one that has goes on from its own, and so does
   * one that others add to meanwhile, from there on. Fields that no turn has are kept with the entry, and are there again in its next export.
   *
   * @throws TypeError, RangeError: a line that is no entry, by its number; what lines before it said is
   * stored, as it is where the source fails or `signal` fires.
   * @throws {@link DentateError} `DENTATE_ABORTED`, `DENTATE_IO`, `DENTATE_OUT_OF_MEMORY`.
   */
  async import(
    source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
    options?: ImportOptions,
  ): Promise<ImportResult> {
    checkReadable("source", source);
    const checked = checkImportOptions(options);
    return this.#store.write(() =>
      withCancel(checked.signal, () => importFrom(this.#store, source, checked)),
    );
  }

  /**
   * Builds everything again from the text: for another encoder, or after a change of this package
   * that makes other signatures. Ids, versions and times stay, banks can be used as before; recall
   * counts of the forgetting curve begin anew. A crash leaves the old store or the new one. It needs
   * room for both. Readers that have it open must open it again.
   *
   * @throws {@link DentateError} `DENTATE_ABORTED`: by `signal`, or because something was written
   * meanwhile; `DENTATE_LOCKED`: the directory is open for writing more than once in this process.
   * The store is as it was. `DENTATE_IO`.
   */
  async reindex(options?: ReindexOptions): Promise<void> {
    const checked = checkReindexOptions(options);
    return this.#store.write(() =>
      this.#store.inTurn(() => this.#store.indexer.paused(() => reindex(this.#store, checked))),
    );
  }

  /**
   * Changes the key of an encrypted store: from then on only the new one opens it.
   *
   * @throws {@link DentateError} `DENTATE_IO`; `DENTATE_KEY`: the store is not encrypted.
   */
  async rekey(key: Uint8Array): Promise<void> {
    return this.#store.write(async () => {
      const checked = checkKey("key", key);
      await this.#store.inTurn(() => this.#store.rekey(checked));
    });
  }

  /** What the store's files and memory come to. */
  async storage(): Promise<StorageStats> {
    this.#store.assertOpen();
    const { banks, files, fileBytes, logBytes, segments, memoryBytes, loadedBanks } =
      this.#store.native.stats();
    return { banks, files, fileBytes, logBytes, segments, memoryBytes, loadedBanks };
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
