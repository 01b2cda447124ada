import { setImmediate } from "node:timers/promises";
import { type Appended, append, type Placed } from "./append-batch.js";
import { mapBank } from "./atoms/bank-map.js";
import type { BankHandle } from "./bank-handle.js";
import { readEntries, type StoredEntry, toEntry } from "./entry.js";
import { checkFilter, type Filter, type FilterNode } from "./filter.js";
import { idNumber, idOf } from "./ids.js";
import { numbersIn } from "./internal/bits.js";
import { checkEach, expected } from "./internal/check.js";
import { nextSlice, sliceIsOver } from "./internal/slices.js";
import { listEntries } from "./list.js";
import { withCancel } from "./native/cancel.js";
import { type NativeView, NONE } from "./native/store-binding.js";
import {
  type AddManyOptions,
  type AddOptions,
  checkAddManyOptions,
  checkAddOptions,
  checkId,
  checkIndexedOptions,
  checkListOptions,
  checkMapOptions,
  type IndexedOptions,
  type KeepsRecalled,
  type ListOptions,
  type MapOptions,
} from "./options.js";
import { newTextOf } from "./pack/strip-recalled.js";
import { checkRecallOptions, type RecallOptions } from "./recall/options.js";
import { recall } from "./recall/recall.js";
import { strategyNamed } from "./recall/strategies.js";
import type { Store } from "./store.js";
import { type CheckedTurn, checkTurn } from "./turn.js";
import { TurnList } from "./turn-encoder.js";
import { patchTurn } from "./turn-patch.js";
import type {
  AddResult,
  BankMap,
  BankStats,
  Entry,
  Recall,
  RecalledOnly,
  SessionSummary,
  Turn,
  TurnPatch,
} from "./types.js";

/**
 * Makes a bank, which is for memories to do.
 *
 * @internal
 */
export let makeBank: (store: Store, name: string) => Bank;

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
 *
 * All methods reject with a {@link DentateError} `DENTATE_CLOSED` once the memory is closed, with
 * `DENTATE_IO` or `DENTATE_CORRUPTION` where its files cannot be read; those that write, with
 * `DENTATE_UNAVAILABLE` where it was opened for reading only.
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
   * Stores a turn. Once the promise resolves, every later recall sees it, and it is as durable as
   * {@link MemoryOptions.durability} says. With `stripRecalled` a turn that says nothing new is not
   * stored, and has no id ({@link RecalledOnly}).
   *
   * @throws TypeError, RangeError: a turn that is not one. Nothing is stored.
   * @throws {@link DentateError} `DENTATE_IO`: it could not be made durable; `DENTATE_OUT_OF_MEMORY`.
   */
  add(turn: Turn, options?: AddOptions & KeepsRecalled): Promise<AddResult>;
  add(turn: Turn, options?: AddOptions): Promise<AddResult | RecalledOnly>;
  async add(turn: Turn, options?: AddOptions): Promise<AddResult | RecalledOnly> {
    return this.#store.write(async () => {
      const { dedupe, stripRecalled: isStripped } = checkAddOptions(options);
      const checked = asNew(checkTurn("turn", turn), isStripped);
      if (checked === undefined) return RECALLED_ONLY;
      const bank = await this.#store.loadedBank(this.name);
      if (sliceIsOver()) await nextSlice();
      this.#store.indexer.due(this.name);
      return this.#store.adds.add(bank, checked, dedupe);
    });
  }

  /**
   * Stores all the turns, in their order, or none of them; those that {@link add} would not store have
   * their place in the answer. Meanwhile others get their turn on the event loop, except while the
   * encoded turns are appended: some microseconds for each.
   *
   * @throws TypeError, RangeError: one of the turns is none; it is named by its index.
   * @throws {@link DentateError} `DENTATE_ABORTED`, `DENTATE_IO`, `DENTATE_OUT_OF_MEMORY`.
   */
  addMany(turns: readonly Turn[], options?: AddManyOptions & KeepsRecalled): Promise<AddResult[]>;
  addMany(turns: readonly Turn[], options?: AddManyOptions): Promise<(AddResult | RecalledOnly)[]>;
  async addMany(
    turns: readonly Turn[],
    options?: AddManyOptions,
  ): Promise<(AddResult | RecalledOnly)[]> {
    if (!Array.isArray(turns)) throw expected("turns", "an array of turns", turns);
    const { signal, dedupe, stripRecalled: isStripped } = checkAddManyOptions(options);
    const given = checkEach(turns, (turn, i) => asNew(checkTurn(`turns[${i}]`, turn), isStripped));
    const checked = given.filter((turn) => turn !== undefined);
    const results = await this.#store.write(() =>
      withCancel(signal, async (cancel) => {
        const bank = await this.#store.loadedBank(this.name);
        const list = new TurnList();
        const { turnEncoder } = this.#store;
        if (sliceIsOver()) await nextSlice();
        if (turnEncoder.areFew(checked)) turnEncoder.encode(list, checked);
        else await turnEncoder.encodeAll(list, checked, cancel);
        if (signal?.aborted) throw signal.reason;
        const ingested = Date.now();
        const placed = checked.map((turn) => ({ turn, ingested }));
        return this.#append(bank, placed, list, dedupe);
      }),
    );
    if (results.length === given.length) return results;
    const stored = results.values();
    return given.map((turn) => (turn === undefined ? RECALLED_ONLY : stored.next().value!));
  }

  /**
   * The best that the bank holds on a question, as a text of at most `budget` tokens.
   *
   * @throws TypeError, RangeError: an option that is unknown or makes no sense.
   * @throws {@link DentateError} `DENTATE_ABORTED`; what `keywords` or `countTokens` throw is passed on.
   */
  async recall(question: string, options?: RecallOptions): Promise<Recall> {
    this.#store.assertOpen();
    const resolved = checkRecallOptions(question, options, this.#store.choice.encoderOptions.bits!);
    return recall(this.#store, this.name, question, strategyNamed(resolved.strategy), resolved);
  }

  /** The entry of this id, or undefined if there is none. */
  async get(id: string): Promise<Entry | undefined> {
    this.#store.assertOpen();
    const origin = idNumber(checkId("id", id));
    const bank = await this.#store.loadedBank(this.name);
    return bank.glance((view) => {
      const stored = this.#newest(view, origin);
      return stored === undefined ? undefined : toEntry(stored);
    });
  }

  /**
   * All versions of the entry of this id, oldest first, until {@link Memory.purge} leaves only the
   * newest; none where there is no such entry.
   */
  async history(id: string): Promise<Entry[]> {
    this.#store.assertOpen();
    const origin = idNumber(checkId("id", id));
    const bank = await this.#store.loadedBank(this.name);
    return bank.glance((view) => {
      if (this.#newest(view, origin) === undefined) return [];
      return this.#read(view, view.versions(origin!)).map(toEntry);
    });
  }

  /** A page of entries in the order of adding; it is the last one if it is shorter than `limit`. */
  async list(options?: ListOptions): Promise<Entry[]> {
    this.#store.assertOpen();
    const { after, limit, filter } = checkListOptions(options);
    const bank = await this.#store.loadedBank(this.name);
    const from = after === undefined ? 0 : (idNumber(after) ?? NONE) + 1;
    return bank.viewing(undefined, async (view) => {
      const mask = filter === undefined ? undefined : await bank.masks.select(view, filter);
      const entries = await listEntries(view, { from, limit, mask }, this.#store.tokenizer);
      this.#store.assertOpen();
      return entries;
    });
  }

  /**
   * Makes a new version of an entry, under the same id: what the patch has is changed, the rest stays.
   * Recalls see the new version only; the old ones can be read with {@link history} until they are
   * purged. Resolves to the entry as it is now, or undefined if there is none of this id.
   *
   * @throws TypeError, RangeError: what would not be a turn. Nothing is changed.
   * @throws {@link DentateError} `DENTATE_IO`, `DENTATE_OUT_OF_MEMORY`.
   */
  async update(id: string, patch: TurnPatch): Promise<Entry | undefined> {
    return this.#store.write(async () => {
      const origin = idNumber(checkId("id", id));
      const bank = await this.#store.loadedBank(this.name);
      if (sliceIsOver()) await nextSlice();
      this.#store.adds.flush();
      const list = this.#store.turnEncoder.scratch;
      let before: StoredEntry | undefined;
      let appended: Appended;
      do {
        const seen = before?.ordinal;
        before = bank.glance((view) => this.#newest(view, origin));
        const checked = patchTurn("patch", patch, before);
        if (before === undefined || checked === undefined) return undefined;
        // Another thread's version counts already, and is about to be there to be seen.
        if (before.ordinal === seen) await setImmediate();
        const placed = {
          turn: checked,
          origin: before.origin,
          before: before.ordinal,
          version: before.version + 1,
          ingested: Date.now(),
          unknown: before.unknown,
          replacedCharacters: patch.content === undefined ? before.replacedCharacters : 0,
        };
        list.clear();
        this.#store.turnEncoder.encode(list, [checked]);
        appended = append(bank.native, [placed], list, this.#store.turnEncoder);
        // Left out: another thread was faster, so that the patch is of another version now.
      } while (appended.entries[0] === NONE);
      const { sequence, entries } = appended;
      this.#store.indexer.due(this.name);
      await this.#store.waits.until(sequence);
      return bank.glance((view) => toEntry(this.#read(view, entries)[0]!));
    });
  }

  /**
   * Forgets an entry with all its versions: from then on it is in no recall, list, range or count.
   * Resolves to the number deleted: 1, or 0 if there was none of this id. Its bytes go from the
   * disk with {@link Memory.purge}.
   */
  async delete(id: string): Promise<number> {
    return this.#store.write(async () => {
      const origin = idNumber(checkId("id", id));
      const bank = await this.#store.loadedBank(this.name);
      if (origin === undefined) return 0;
      this.#store.adds.flush();
      const only = Uint32Array.of(origin);
      // A later version has a number too, which is nobody's id.
      const isThere = bank.glance((view) => view.newest(only)[0] !== NONE);
      return isThere ? this.#delete(bank, only) : 0;
    });
  }

  /**
   * Forgets all entries that the filter selects, as {@link delete} does; old versions are not looked
   * at, but go with their entry. Resolves to the number deleted. What is added meanwhile stays.
   *
   * @throws TypeError for a filter without a condition: that would be all, which
   * {@link Memory.dropBank} is for.
   */
  async deleteWhere(filter: Filter): Promise<number> {
    return this.#store.write(async () => {
      const checked = checkFilter("filter", filter);
      if (isEverything(checked)) {
        throw new TypeError("filter: expected at least one condition, got none");
      }
      const bank = await this.#store.loadedBank(this.name);
      this.#store.adds.flush();
      let deleted = 0;
      for (let isOver = false; !isOver; ) {
        // Others may change entries while the filter looks at them: those are looked at again.
        const deletion = await bank.viewing(undefined, async (view) => {
          const selected = numbersIn(await bank.masks.select(view, checked));
          // No wait from here to the deletion.
          const { origins, changed } = bank.glance((now) => unchangedOrigins(view, now, selected));
          isOver = !changed;
          return bank.native.delete(origins);
        });
        await this.#store.waits.until(deletion.sequence);
        deleted += deletion.deleted;
      }
      return deleted;
    });
  }

  /** How much the bank holds, and in how many bytes. */
  async stats(): Promise<BankStats> {
    this.#store.assertOpen();
    const bank = await this.#store.loadedBank(this.name);
    return bank.viewing(undefined, async (view) => {
      const { entries, tokens, sessions } = view.stats();
      const { chunks, atoms, largestAtom } = await this.#store.untilClosed(view.countChunks());
      const bytes = bank.native.sizeInBytes;
      return { entries, tokens, sessions, chunks, atoms, largestAtom, bytes };
    });
  }

  /** The sessions that have entries, those first that have the latest. */
  async sessions(): Promise<SessionSummary[]> {
    this.#store.assertOpen();
    const bank = await this.#store.loadedBank(this.name);
    const { names, entries, tokens, first, last } = bank.glance((view) => view.sessions());
    const latest = [...names.keys()].sort((a, b) => last[b]! - last[a]! || b - a);
    return latest.map((i) => ({
      session: names[i]!,
      entries: entries[i]!,
      tokens: tokens[i]!,
      from: new Date(first[i]!),
      to: new Date(last[i]!),
    }));
  }

  /**
   * Where the bank's chunks lie on a plane, and the question among them: to look at. Nothing lies on it
   * where the memory has no embedder.
   *
   * @throws {@link DentateError} `DENTATE_ABORTED`; what the embedder throws is passed on.
   */
  async map(options?: MapOptions): Promise<BankMap> {
    this.#store.assertOpen();
    return mapBank(this.#store, this.name, checkMapOptions(options));
  }

  /**
   * Resolves when what was added so far has been made chunks of, but for what more turns may still
   * join. No recall needs it: chunks are made in the background, and what is not done yet is embedded
   * by the recall itself.
   *
   * @throws {@link DentateError} `DENTATE_IO`, `DENTATE_MISMATCH`; what the embedder throws is passed on.
   */
  async indexed(options?: IndexedOptions): Promise<void> {
    const { onProgress } = checkIndexedOptions(options);
    return this.#store.write(() => {
      this.#store.adds.flush();
      return this.#store.indexer.caughtUp(this.name, onProgress);
    });
  }

  #read(view: NativeView, numbers: Uint32Array): StoredEntry[] {
    return readEntries(view, numbers, this.#store.tokenizer);
  }

  #newest(view: NativeView, origin: number | undefined): StoredEntry | undefined {
    if (origin === undefined) return undefined;
    const newest = view.newest(Uint32Array.of(origin));
    return newest[0] === NONE ? undefined : this.#read(view, newest)[0];
  }

  async #append(
    bank: BankHandle,
    placed: readonly Placed[],
    list: TurnList,
    dedupe: boolean,
  ): Promise<AddResult[]> {
    if (placed.length === 0) return [];
    this.#store.adds.flush();
    const { turnEncoder } = this.#store;
    const { sequence, entries, duplicates } = append(bank.native, placed, list, turnEncoder, {
      dedupe,
    });
    list.clear();
    this.#store.indexer.due(this.name);
    // With `dedupe` an entry may be an older one's new version: its id is that of the first.
    const origins = dedupe ? bank.glance((view) => view.origins(entries)) : entries;
    const ids = Array.from(origins, idOf);
    await this.#store.waits.until(sequence);
    return ids.map((id, i) => ({ id, status: duplicates[i] === 1 ? "duplicate" : "added" }));
  }

  async #delete(bank: BankHandle, origins: Uint32Array): Promise<number> {
    const { sequence, deleted } = bank.native.delete(origins);
    this.#store.indexer.due(this.name);
    await this.#store.waits.until(sequence);
    return deleted;
  }
}

const RECALLED_ONLY: RecalledOnly = Object.freeze({ status: "recalled" });

/** What of a turn is new, where what was recalled is to be left out; undefined where nothing is. */
function asNew(turn: CheckedTurn, isStripped: boolean): CheckedTurn | undefined {
  if (!isStripped) return turn;
  const content = newTextOf(turn.content, turn.toolCallId);
  return content === undefined ? undefined : { ...turn, content };
}

/** What `selected` of `view` began as, without those that have another newest version by now. */
function unchangedOrigins(
  view: NativeView,
  now: NativeView,
  selected: Uint32Array,
): { origins: Uint32Array; changed: boolean } {
  // Dropped meanwhile: its numbers are others' by now.
  if (now.incarnation !== view.incarnation) return { origins: new Uint32Array(), changed: false };
  const origins = view.origins(selected);
  const newest = now.newest(origins);
  return {
    origins: origins.filter((_, i) => newest[i] === selected[i]),
    changed: newest.some((number, i) => number !== NONE && number !== selected[i]),
  };
}

/** Whether it has no condition at all; of several, one without any is enough. */
function isEverything(filter: FilterNode): boolean {
  if (filter.kind === "or") return filter.nodes.some(isEverything);
  return filter.kind === "and" && filter.nodes.every(isEverything);
}
