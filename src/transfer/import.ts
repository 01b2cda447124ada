import { type Placed, toBatch } from "../append-batch.js";
import type { BankHandle } from "../bank-handle.js";
import { encodeTurn } from "../encode-turn.js";
import { nextSlice, sliceIsOver } from "../internal/slices.js";
import { NONE } from "../native/store-binding.js";
import { DEFAULT_BANK } from "../options.js";
import type { Store } from "../store.js";
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
/** Ids that nobody has are given out in one go: each costs a row. */
const MOST_HOLES = 1 << 20;

/**
 * Reads an export, or any JSONL of turns, and adds what it says. Ids, versions and times are kept
 * where the bank is new; a bank that has given ids out already goes on from there.
 *
 * @throws TypeError, RangeError with the line's number. Entries of lines before it may be stored.
 */
export async function importFrom(
  store: Store,
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  { onProgress, signal }: ImportOptions,
): Promise<ImportResult> {
  const banks = new Map<string, BankImport>();
  let current: BankImport | undefined;
  let entries = 0;
  const bankNamed = async (name: string) => {
    if (current?.name === name) return current;
    await current?.flush();
    current = banks.get(name) ?? (await BankImport.begin(store, name));
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

/** One bank that is being filled. */
class BankImport {
  readonly name: string;
  /** Ids that the exported bank had given out. */
  numbers = 0;
  readonly #store: Store;
  readonly #handle: BankHandle;
  /** Whether numbers are kept: nobody else has any. */
  readonly #isNew: boolean;
  #next: number;
  #batch: Placed[] = [];
  /** Numbers of the export, where they are not kept, and what became of them. */
  readonly #numberOf = new Map<number, number>();
  /** For each of the batch, its number in the export. */
  #sources: (number | undefined)[] = [];

  private constructor(store: Store, name: string, handle: BankHandle, next: number) {
    this.#store = store;
    this.name = name;
    this.#handle = handle;
    this.#isNew = next === 0;
    this.#next = next;
  }

  static async begin(store: Store, name: string): Promise<BankImport> {
    const handle = await store.loadedBank(name);
    const view = handle.native.view();
    const next = view.entryCount;
    view.release();
    return new BankImport(store, name, handle, next);
  }

  get pending(): number {
    return this.#batch.length;
  }

  async add(where: string, line: EntryLine): Promise<void> {
    const { origin, turn, unknown, ingestedAt, replacedCharacters, version } = line;
    const number = this.#isNew ? line.number : undefined;
    if (number !== undefined && number < this.#next) {
      throw new RangeError(
        `${where}.id: expected ids in ascending order, got one of number ${number}`,
      );
    }
    if (number !== undefined) await this.#leaveOut(number - this.#next);
    const isLater = origin !== undefined && line.number !== origin;
    if (isLater && !this.#isNew && !this.#numberOf.has(origin)) await this.flush();
    const encoded = encodeTurn(turn, this.#store.tokenizer, this.#store.encoder);
    this.#batch.push({
      encoded: {
        ...encoded,
        unknown,
        replacedCharacters: Math.max(replacedCharacters, encoded.replacedCharacters),
      },
      origin: isLater ? (this.#isNew ? origin : this.#numberOf.get(origin)) : undefined,
      version,
      ingested: ingestedAt ?? Date.now(),
    });
    this.#sources.push(line.number);
    this.#next++;
    if (this.#batch.length >= BATCH) await this.flush();
  }

  /** Gives numbers to nobody, so that the next one is right. */
  async #leaveOut(count: number): Promise<void> {
    if (count > MOST_HOLES) {
      throw new RangeError(
        `id: expected at most ${MOST_HOLES} ids left out in a row, got ${count}`,
      );
    }
    for (let i = 0; i < count; i++) {
      this.#batch.push({ encoded: undefined, ingested: 0 });
      this.#sources.push(undefined);
      this.#next++;
      if (this.#batch.length >= BATCH) await this.flush();
    }
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = toBatch(this.#batch, { dedupe: false, restore: true }, this.#store.encoder);
    this.#batch = [];
    const { sequence, entries } = this.#handle.native.append(batch);
    for (const [i, number] of this.#sources.entries()) {
      if (this.#isNew || number === undefined || entries[i] === NONE) continue;
      this.#numberOf.set(number, entries[i]!);
    }
    this.#sources = [];
    await this.#store.waits.until(sequence);
  }

  async end(): Promise<void> {
    if (this.#isNew) await this.#leaveOut(Math.max(0, this.numbers - this.#next));
    await this.flush();
  }
}
