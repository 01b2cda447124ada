import { append, type Placed } from "../append-batch.js";
import type { BankHandle } from "../bank-handle.js";
import { nextSlice, sliceIsOver } from "../internal/slices.js";
import { NONE } from "../native/store-binding.js";
import { DEFAULT_BANK } from "../options.js";
import type { Store } from "../store.js";
import { TurnList } from "../turn-encoder.js";
import type { TransferProgress } from "./export.js";
import { type EntryLine, parseLine } from "./line.js";
import { readLines } from "./lines.js";

/** How what was exported is taken in. */
export interface ImportOptions {
  /** Called after each batch. */
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  /** Gives the import up: it then rejects with `DENTATE_ABORTED`; what was stored stays. */
  readonly signal?: AbortSignal | undefined;
}

/** What an import came to. */
export interface ImportResult {
  readonly banks: number;
  /** Old versions among them. */
  readonly entries: number;
}

const BATCH = 256;
/** Ids left out in a row, each of which costs a row: a line of a few bytes may not ask for more. */
const MOST_HOLES = 1 << 20;
const HOLES_AT_ONCE = 1 << 14;

/**
 * Reads an export, or any JSONL of turns, and adds what it says. Ids, versions and times are kept
 * where the bank is new; a bank that has given ids out already goes on from there.
 *
 * @param mostHoles Ids left out in a row, at most.
 * @throws TypeError, RangeError with the line's number. Entries of lines before it may be stored.
 */
export async function importFrom(
  store: Store,
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  { onProgress, signal }: ImportOptions,
  mostHoles = MOST_HOLES,
): Promise<ImportResult> {
  const banks = new Map<string, BankImport>();
  let current: BankImport | undefined;
  let entries = 0;
  const bankNamed = async (name: string) => {
    if (current?.name === name) return current;
    await current?.flush();
    current = banks.get(name) ?? (await BankImport.begin(store, name, mostHoles));
    banks.set(name, current);
    return current;
  };
  let number = 0;
  for await (const text of readLines(source)) {
    number++;
    if (signal?.aborted) throw signal.reason;
    if (sliceIsOver()) await nextSlice();
    if (text.trim() === "") continue;
    const where = `line ${number}`;
    const line = parseLine(where, text);
    if (line.kind === "header") continue;
    const bank = await bankNamed(line.bank ?? DEFAULT_BANK);
    if (line.kind === "bank") bank.numbers = Math.max(bank.numbers, line.numbers);
    else {
      await bank.add(where, line);
      entries++;
      if (bank.pending === 0) onProgress?.({ bank: bank.name, entries });
    }
  }
  for (const bank of banks.values()) await bank.end();
  if (current !== undefined) onProgress?.({ bank: current.name, entries });
  return { banks: banks.size, entries };
}

/**
 * Reads all lines and stores nothing.
 *
 * @throws TypeError, RangeError with the number of the first line that {@link importFrom} refuses.
 */
export async function checkLines(source: AsyncIterable<Uint8Array | string>): Promise<void> {
  let number = 0;
  for await (const text of readLines(source)) {
    number++;
    if (text.trim() !== "") parseLine(`line ${number}`, text);
  }
}

/** An entry that is about to be stored; without a line, a number that goes to nobody. */
interface Pending {
  readonly line: EntryLine | undefined;
  readonly placed: Placed;
}

/** One bank that is being filled. */
class BankImport {
  readonly name: string;
  /** Ids that the exported bank had given out. */
  numbers = 0;
  readonly #store: Store;
  readonly #mostHoles: number;
  readonly #handle: BankHandle;
  /** Whether numbers are kept: nobody else has any. */
  #keeps: boolean;
  /** Numbers below it were kept. */
  #kept = 0;
  #next: number;
  #batch: Pending[] = [];
  /** The text of the batch. */
  readonly #list = new TurnList();
  /** Numbers of the export, where they are not kept, and what became of them. */
  readonly #numberOf = new Map<number, number>();
  /** The bank as the last batch left it. */
  #left: Extent;

  private constructor(store: Store, name: string, handle: BankHandle, mostHoles: number) {
    this.#store = store;
    this.#mostHoles = mostHoles;
    this.name = name;
    this.#handle = handle;
    this.#left = extentOf(handle);
    this.#next = this.#left.entryCount;
    this.#keeps = this.#next === 0;
  }

  static async begin(store: Store, name: string, mostHoles: number): Promise<BankImport> {
    return new BankImport(store, name, await store.loadedBank(name), mostHoles);
  }

  get pending(): number {
    return this.#batch.length;
  }

  async add(where: string, line: EntryLine): Promise<void> {
    const { number, turn, unknown, ingestedAt, replacedCharacters, version } = line;
    if (this.#keeps && number !== undefined) {
      if (number < this.#next) {
        throw new RangeError(
          `${where}.id: expected ids in ascending order, got one of number ${number}`,
        );
      }
      await this.#leaveOut(number - this.#next);
    }
    await this.#place(line, {
      turn,
      unknown,
      replacedCharacters,
      version,
      ingested: ingestedAt ?? Date.now(),
    });
  }

  async #place(line: EntryLine, placed: Placed): Promise<void> {
    const { origin } = line;
    let own: number | undefined;
    if (origin !== undefined && line.number !== origin) {
      if (!this.#keeps && this.#numberNow(origin) === undefined) await this.flush();
      own = this.#keeps ? origin : this.#numberNow(origin);
    }
    this.#push({ line, placed: { ...placed, origin: own } });
    if (this.#batch.length >= BATCH) await this.flush();
  }

  #push(pending: Pending): void {
    this.#store.turnEncoder.encode(this.#list, [pending.placed.turn]);
    this.#batch.push(pending);
    this.#next++;
  }

  /** What has the number that was `number` in the export. */
  #numberNow(number: number): number | undefined {
    return number < this.#kept ? number : this.#numberOf.get(number);
  }

  /** Gives numbers to nobody, so that the next one is right. */
  async #leaveOut(count: number): Promise<void> {
    if (count > this.#mostHoles) {
      throw new RangeError(
        `id: expected at most ${this.#mostHoles} ids left out in a row, got ${count}`,
      );
    }
    for (let i = 0; i < count && this.#keeps; i++) {
      this.#push({ line: undefined, placed: { turn: undefined, ingested: 0 } });
      if (this.#batch.length >= HOLES_AT_ONCE) await this.flush();
    }
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    if (this.#isDisturbed()) return this.#goOn();
    const pending = this.#batch;
    this.#batch = [];
    const { sequence, entries } = append(
      this.#handle.native,
      pending.map(({ placed }) => placed),
      this.#list,
      this.#store.turnEncoder,
      { restore: true },
    );
    this.#list.clear();
    this.#store.indexer.due(this.name);
    this.#left = extentOf(this.#handle);
    for (const [i, { line }] of pending.entries()) {
      if (this.#keeps || line?.number === undefined || entries[i] === NONE) continue;
      const { origin, number } = line;
      this.#numberOf.set(number, entries[i]!);
      // Of versions whose first one was purged, the oldest is the first from here on.
      if (origin === undefined || this.#numberNow(origin) !== undefined) continue;
      this.#numberOf.set(origin, entries[i]!);
    }
    await this.#store.waits.until(sequence);
  }

  /** Whether others took numbers that were to be kept, or dropped the bank, since the last batch. */
  #isDisturbed(): boolean {
    const { entryCount, incarnation } = extentOf(this.#handle);
    if (this.#left.entryCount > 0 && incarnation !== this.#left.incarnation) return true;
    return this.#keeps && entryCount !== this.#left.entryCount;
  }

  /** Takes the numbers that the bank gives, from here on: those of the export are others' by now. */
  async #goOn(): Promise<void> {
    const { entryCount, incarnation } = this.#left;
    this.#left = extentOf(this.#handle);
    if (entryCount > 0 && incarnation !== this.#left.incarnation) {
      this.#kept = 0;
      this.#numberOf.clear();
    } else if (this.#keeps) {
      this.#kept = entryCount;
    }
    this.#keeps = false;
    const pending = this.#batch;
    this.#batch = [];
    this.#list.clear();
    for (const { line, placed } of pending) {
      if (line !== undefined) await this.#place(line, placed);
    }
    await this.flush();
  }

  async end(): Promise<void> {
    if (this.#keeps) await this.#leaveOut(Math.max(0, this.numbers - this.#next));
    await this.flush();
  }
}

interface Extent {
  readonly entryCount: number;
  readonly incarnation: number;
}

function extentOf(bank: BankHandle): Extent {
  return bank.glance(({ entryCount, incarnation }) => ({ entryCount, incarnation }));
}
