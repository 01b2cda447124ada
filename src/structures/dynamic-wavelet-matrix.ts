import { expected, expectInteger, expectOptions, outOfRange } from "../internal/check.js";
import { expectAttached, expectUint32Array } from "../internal/views.js";
import { loadBinding } from "../native/binding.js";
import type { NativeDynamicWaveletMatrix } from "../native/wavelet-binding.js";

/** How a matrix is made. */
export interface DynamicWaveletMatrixOptions {
  /** Bits of a symbol, 1 to 32: symbols are whole numbers below 2^symbolBits. */
  readonly symbolBits: number;
  /**
   * After how many symbols the part that grows is sealed, in the background, into its smaller
   * static form; 0 for never, 2^24 unless given.
   */
  readonly sealAfter?: number | undefined;
}

/** Which of a symbol's occurrences to return. */
export interface OccurrencesOptions {
  /** How many occurrences to skip, 0 unless given. */
  readonly from?: number | undefined;
  /** The most to return, all unless given. */
  readonly limit?: number | undefined;
}

/** Different symbols, and how often each occurs: `symbols[i]` occurs `counts[i]` times. */
export interface SymbolCounts {
  readonly symbols: Uint32Array;
  readonly counts: Uint32Array;
}

/** What a batch of {@link DynamicWaveletMatrix.select} holds where there is no such occurrence. */
export const NOT_FOUND = 0xffffffff;

const MOST_SYMBOLS = 2 ** 32 - 2;
const MOST_UINT32 = 2 ** 32 - 1;
const DEFAULT_SEAL_AFTER = 2 ** 24;

/**
 * A sequence of symbols that grows at its end, takes little more memory than the symbols' bits, and
 * answers at once where and how often each symbol occurs.
 *
 * Positions count from 0 and intervals are half-open. Appended symbols are in the next answer. Each
 * query takes one number, or a Uint32Array for a batch, which is several times faster a query.
 *
 * @example
 * const wm = new DynamicWaveletMatrix({ symbolBits: 18 });
 * wm.append(new Uint32Array([5, 7, 5])); // 3
 * wm.rank(5, 2); // 1: occurrences of 5 in [0, 2)
 * wm.select(5, 1); // 2: where occurrence 1 of 5 is
 */
export class DynamicWaveletMatrix {
  #native: NativeDynamicWaveletMatrix;
  readonly #symbolBits: number;
  /** The native size, which only {@link append} changes: every query checks against it. */
  #length = 0;
  /** Settles when the last {@link seal} so far has. */
  #sealed: Promise<void> = Promise.resolve();

  /** @throws TypeError or RangeError where `options` is of no use. */
  constructor(options: DynamicWaveletMatrixOptions) {
    const { symbolBits, sealAfter = DEFAULT_SEAL_AFTER } = expectOptions("options", options, [
      "symbolBits",
      "sealAfter",
    ]);
    this.#symbolBits = expectInteger("options.symbolBits", symbolBits, 1, 32);
    this.#native = new (loadBinding().DynamicWaveletMatrix)(
      this.#symbolBits,
      expectInteger("options.sealAfter", sealAfter, 0, MOST_SYMBOLS),
    );
  }

  /**
   * The matrix that {@link serialize} wrote.
   *
   * @throws `DentateError` `DENTATE_CORRUPTION` where the bytes are not one, or
   * `DENTATE_VERSION` where a newer version wrote them.
   */
  static deserialize(bytes: Uint8Array): DynamicWaveletMatrix {
    if (!(bytes instanceof Uint8Array)) throw expected("bytes", "a Uint8Array", bytes);
    expectAttached("bytes", bytes);
    const settled = bytes.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes;
    const native = new (loadBinding().DynamicWaveletMatrix)(settled, DEFAULT_SEAL_AFTER);
    const matrix = new DynamicWaveletMatrix({ symbolBits: native.symbolBits });
    matrix.#native = native;
    matrix.#length = native.size;
    return matrix;
  }

  /** Bits of a symbol. */
  get symbolBits(): number {
    return this.#symbolBits;
  }

  /** How many symbols there are. */
  get length(): number {
    return this.#length;
  }

  /** Memory taken from the system, room to grow included. */
  get sizeInBytes(): number {
    return this.#native.sizeInBytes;
  }

  /** Appends symbols, all or none of them. Returns the new length. */
  append(symbols: Uint32Array): number {
    const settled = expectUint32Array("symbols", symbols);
    const room = MOST_SYMBOLS - this.length;
    if (settled.length > room) {
      throw outOfRange("symbols", `at most ${room} more symbols`, settled.length);
    }
    if (this.#symbolBits < 32) {
      checkBelow("symbols", settled, 2 ** this.#symbolBits, `a symbol of ${this.#symbolBits} bits`);
    }
    this.#length = this.#native.append(settled);
    return this.#length;
  }

  /** The symbol at a position, or at each of several. */
  access(position: number): number;
  access(positions: Uint32Array): Uint32Array;
  access(position: number | Uint32Array): number | Uint32Array {
    if (typeof position === "number") {
      if (this.length === 0) throw outOfRange("position", "none, of an empty matrix", position);
      return this.#native.access(expectInteger("position", position, 0, this.length - 1));
    }
    const positions = expectUint32Array("positions", position);
    checkBelow("positions", positions, this.length, `a position below ${this.length}`);
    return this.#native.accessMany(positions);
  }

  /** The symbols of [start, end): much faster than one by one. */
  accessRange(start: number, end: number): Uint32Array {
    this.#checkInterval(start, end);
    return this.#native.accessRange(start, end);
  }

  /** Occurrences of a symbol in [0, i); or of `symbol[j]` in [0, `i[j]`) for each j. */
  rank(symbol: number, i: number): number;
  rank(symbols: Uint32Array, positions: Uint32Array): Uint32Array;
  rank(symbol: number | Uint32Array, i: number | Uint32Array): number | Uint32Array {
    if (typeof symbol === "number") {
      expectInteger("symbol", symbol, 0, MOST_UINT32);
      return this.#native.rank(symbol, expectInteger("i", i, 0, this.length));
    }
    const symbols = expectUint32Array("symbols", symbol);
    const positions = expectUint32Array("positions", i);
    checkSameLength("positions", positions, symbols);
    checkBelow("positions", positions, this.length + 1, `a position up to ${this.length}`);
    return this.#native.rankMany(symbols, positions);
  }

  /**
   * The position of a symbol's occurrence number k, from 0; `undefined` where there are not so many.
   * In a batch those are {@link NOT_FOUND}.
   */
  select(symbol: number, k: number): number | undefined;
  select(symbols: Uint32Array, ks: Uint32Array): Uint32Array;
  select(symbol: number | Uint32Array, k: number | Uint32Array): number | undefined | Uint32Array {
    if (typeof symbol === "number") {
      expectInteger("symbol", symbol, 0, MOST_UINT32);
      const position = this.#native.select(symbol, expectInteger("k", k, 0, MOST_UINT32));
      return position === NOT_FOUND ? undefined : position;
    }
    const symbols = expectUint32Array("symbols", symbol);
    const ks = expectUint32Array("ks", k);
    checkSameLength("ks", ks, symbols);
    return this.#native.selectMany(symbols, ks);
  }

  /** How often a symbol occurs. */
  count(symbol: number): number {
    return this.#native.count(expectInteger("symbol", symbol, 0, MOST_UINT32));
  }

  /** Where a symbol occurs, in ascending order. */
  occurrences(symbol: number, options?: OccurrencesOptions): Uint32Array {
    expectInteger("symbol", symbol, 0, MOST_UINT32);
    const { from = 0, limit = MOST_UINT32 } = expectOptions("options", options ?? {}, [
      "from",
      "limit",
    ]);
    return this.#native.occurrences(
      symbol,
      expectInteger("options.from", from, 0, MOST_UINT32),
      expectInteger("options.limit", limit, 0, MOST_UINT32),
    );
  }

  /** How many positions in [start, end) hold a symbol in [low, high). */
  rangeCount(start: number, end: number, low: number, high: number): number {
    this.#checkInterval(start, end);
    expectInteger("low", low, 0, 2 ** 32);
    expectInteger("high", high, 0, 2 ** 32);
    return this.#native.rangeCount(start, end, low, high);
  }

  /** The k-th smallest symbol in [start, end), from 0; `undefined` where there are not so many. */
  rangeQuantile(start: number, end: number, k: number): number | undefined {
    this.#checkInterval(start, end);
    return this.#native.rangeQuantile(start, end, expectInteger("k", k, 0, MOST_UINT32));
  }

  /** The k symbols most frequent in [start, end), most frequent first; of equal ones, lower first. */
  rangeTopK(start: number, end: number, k: number): SymbolCounts {
    this.#checkInterval(start, end);
    return this.#native.rangeTopK(start, end, expectInteger("k", k, 0, MOST_UINT32));
  }

  /** The different symbols in [start, end), in ascending order. */
  rangeDistinct(start: number, end: number): SymbolCounts {
    this.#checkInterval(start, end);
    return this.#native.rangeDistinct(start, end);
  }

  /** The symbols that occur in each of several intervals [start, end), in ascending order. */
  rangeIntersect(ranges: readonly (readonly [start: number, end: number])[]): Uint32Array {
    if (!Array.isArray(ranges)) throw expected("ranges", "an array of [start, end]", ranges);
    const bounds = new Uint32Array(2 * ranges.length);
    for (const [i, range] of ranges.entries()) {
      if (!Array.isArray(range) || range.length !== 2) {
        throw expected(`ranges[${i}]`, "[start, end]", range);
      }
      this.#checkInterval(range[0], range[1], `ranges[${i}].`);
      bounds.set(range, 2 * i);
    }
    return this.#native.rangeIntersect(bounds);
  }

  /**
   * Seals what there is now into the smaller static form, on another thread. Queries and appends go
   * on meanwhile, and answers stay the same. However often it is called, a matrix waits on one
   * thread of libuv's pool at most.
   */
  seal(): Promise<void> {
    const native = this.#native;
    native.seal();
    const sealed = () => native.sealedAsync();
    this.#sealed = this.#sealed.then(sealed, sealed);
    return this.#sealed;
  }

  /** The whole sequence as bytes, for {@link deserialize}. */
  serialize(): Uint8Array {
    return this.#native.serialize();
  }

  #checkInterval(start: unknown, end: unknown, prefix = ""): void {
    const { length } = this;
    const first = expectInteger(`${prefix}start`, start, 0, length);
    expectInteger(`${prefix}end`, end, first, length);
  }
}

function checkBelow(argument: string, values: Uint32Array, end: number, what: string): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value >= end) throw outOfRange(`${argument}[${i}]`, what, value);
  }
}

function checkSameLength(argument: string, values: Uint32Array, others: Uint32Array): void {
  if (values.length !== others.length) {
    throw outOfRange(argument, `${others.length} of them, as many as symbols`, values.length);
  }
}
