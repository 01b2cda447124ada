/** What an entry has in {@link AppendColumns}. */
export interface EntryNumbers {
  /** Unix ms. */
  readonly at: number;
  /** Infinity: never. */
  readonly expires: number;
  /** Unix ms. */
  readonly ingested: number;
  /** Index into the names of the batch; NONE: an entry of which there is nothing. */
  readonly session: number;
  /** Index into the names of the batch; NONE. */
  readonly speaker: number;
  /** Of a new version the number of the first one, which may be of this batch; NONE. */
  readonly origin: number;
  /** Of a new version the newest one that it was made from: left out where that is not the newest. */
  readonly before: number;
  readonly extrasLength: number;
  readonly role: number;
}

const DOUBLES = 3;
const WORDS = 5;
export const BYTES_AN_ENTRY = DOUBLES * 8 + WORDS * 4 + 1;
/** Entries that there is always room for; what more takes is not kept. */
const KEPT = 256;

/**
 * Numbers of n entries on their way to a bank, and what the bank answers, in one buffer that is used
 * again: an array that crosses the boundary costs as much as a hundred numbers in it. Columns, each
 * of all entries, one after the other (native/napi/append_batch.h):
 *
 *   float64   at, expires, ingested
 *   uint32    sessions, speakers, origins (answer: the entries' numbers), befores, extras' lengths
 *   byte      roles (answer: whether it is a duplicate)
 */
export class AppendColumns {
  /** At least {@link BYTES_AN_ENTRY} an entry. */
  bytes = new Uint8Array(KEPT * BYTES_AN_ENTRY);
  count = 0;
  #doubles = new Float64Array(this.bytes.buffer, 0, KEPT * DOUBLES);
  #words = new Uint32Array(this.bytes.buffer, 0, KEPT * (2 * DOUBLES + WORDS));

  /** Begins a batch of so many entries. */
  begin(count: number): void {
    this.count = count;
    const room = Math.max(count, KEPT);
    if (this.bytes.length === room * BYTES_AN_ENTRY) return;
    this.bytes = new Uint8Array(room * BYTES_AN_ENTRY);
    this.#doubles = new Float64Array(this.bytes.buffer, 0, room * DOUBLES);
    this.#words = new Uint32Array(this.bytes.buffer, 0, room * (2 * DOUBLES + WORDS));
  }

  set(i: number, entry: EntryNumbers): void {
    const n = this.count;
    this.#doubles[i] = entry.at;
    this.#doubles[n + i] = entry.expires;
    this.#doubles[2 * n + i] = entry.ingested;
    const words = 2 * DOUBLES * n;
    this.#words[words + i] = entry.session;
    this.#words[words + n + i] = entry.speaker;
    this.#words[words + 2 * n + i] = entry.origin;
    this.#words[words + 3 * n + i] = entry.before;
    this.#words[words + 4 * n + i] = entry.extrasLength;
    this.bytes[(8 * DOUBLES + 4 * WORDS) * n + i] = entry.role;
  }

  /** The numbers that the bank gave. */
  entries(): Uint32Array {
    const first = (2 * DOUBLES + 2) * this.count;
    return this.#words.slice(first, first + this.count);
  }

  /** Whether the bank held each already. */
  duplicates(): Uint8Array {
    const first = (8 * DOUBLES + 4 * WORDS) * this.count;
    return this.bytes.slice(first, first + this.count);
  }
}
