import { expected, expectInteger, expectOptions, outOfRange } from "../internal/check.js";
import { expectAttached } from "../internal/views.js";
import { loadBinding } from "../native/binding.js";
import { withCancel } from "../native/cancel.js";
import type { NativeHammingIndex, NativeMatches } from "../native/hamming-binding.js";
import { checkSignal } from "../options.js";

/** How an index is made. */
export interface HammingIndexOptions {
  /** Bits in a signature: a multiple of 64, at most 65,472. */
  readonly bits: number;
}

/** How a search runs. */
export interface HammingSearchOptions {
  /** The most threads that one search may use, 1 unless given; a small search uses fewer. */
  readonly threads?: number | undefined;
}

/** How a search off the main thread runs. */
export interface HammingAsyncOptions extends HammingSearchOptions {
  /** Gives the search up: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** How hashing off the main thread runs. */
export interface HammingHashOptions {
  /** Gives the hashing up: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** The matches of one query: signature `ids[i]` is `distances[i]` bits away. */
export interface HammingMatches {
  readonly ids: Uint32Array;
  readonly distances: Uint16Array;
}

/** The matches of several queries; the i-th query's lie from `offsets[i]` to `offsets[i + 1]`. */
export interface HammingMatchesMany extends HammingMatches {
  readonly offsets: Uint32Array;
}

const MOST_WORDS = 1023;
const MOST_SIGNATURES = 2 ** 32 - 1;
const MOST_THREADS = 256;

/**
 * Exact search over binary signatures by Hamming distance.
 *
 * Signatures are numbered from 0 in the order they are added. A search sees every signature added
 * before it is called, and runs at about the speed of reading them from memory; the `Async` twins
 * run on another thread, and copy the query first.
 *
 * @example
 * const index = new HammingIndex({ bits: 128 });
 * index.add(new BigUint64Array([1n, 2n, 7n, 2n])); // two signatures of two words
 * index.within(new BigUint64Array([1n, 2n]), 2); // { ids: [0, 1], distances: [0, 2] }
 */
export class HammingIndex {
  #native: NativeHammingIndex;
  readonly #words: number;

  /** @throws TypeError or RangeError where `options` is of no use. */
  constructor(options: HammingIndexOptions) {
    const { bits } = expectOptions("options", options, ["bits"]);
    this.#words = expectInteger("options.bits", bits, 64, MOST_WORDS * 64) / 64;
    if (!Number.isInteger(this.#words)) throw outOfRange("options.bits", "a multiple of 64", bits);
    this.#native = new (loadBinding().HammingIndex)(this.#words);
  }

  /**
   * The index that {@link serialize} wrote.
   *
   * @throws `DentateError` `DENTATE_CORRUPTION` where the bytes are not one, or
   * `DENTATE_VERSION` where a newer version wrote them.
   */
  static deserialize(bytes: Uint8Array): HammingIndex {
    if (!(bytes instanceof Uint8Array)) throw expected("bytes", "a Uint8Array", bytes);
    expectAttached("bytes", bytes);
    const native = new (loadBinding().HammingIndex)(bytes);
    const index = new HammingIndex({ bits: native.words * 64 });
    index.#native = native;
    return index;
  }

  /** Bits in a signature. */
  get bits(): number {
    return this.#words * 64;
  }

  /** How many signatures there are. */
  get size(): number {
    return this.#native.size;
  }

  /** How many of them {@link hash} has hashed. */
  get hashed(): number {
    return this.#native.hashed;
  }

  /** Memory that the signatures and hashes take. */
  get sizeInBytes(): number {
    return this.#native.sizeInBytes;
  }

  /** Adds signatures, `bits / 64` words each, one after the other. Returns how many there are now. */
  add(signatures: BigUint64Array): number {
    const words = this.#checkSignatures("signatures", signatures);
    const most = MOST_SIGNATURES - this.#native.size;
    if (words / this.#words > most) {
      throw outOfRange("signatures", `at most ${most} more signatures`, words / this.#words);
    }
    return this.#native.add(signatures);
  }

  /** The signatures at most `radius` bits from the query, in ascending order of id. */
  within(query: BigUint64Array, radius: number, options?: HammingSearchOptions): HammingMatches {
    this.#checkQuery(query);
    return one(this.#native.within(query, this.#checkRadius(radius), checkThreads(options)));
  }

  /** The `k` signatures nearest to the query, nearest first; of equal distances, lower ids first. */
  nearest(query: BigUint64Array, k: number, options?: HammingSearchOptions): HammingMatches {
    this.#checkQuery(query);
    return one(this.#native.nearest(query, checkK(k), checkThreads(options)));
  }

  /** {@link within} for several queries, one after the other: faster than a call for each. */
  withinMany(
    queries: BigUint64Array,
    radius: number,
    options?: HammingSearchOptions,
  ): HammingMatchesMany {
    this.#checkSignatures("queries", queries);
    return this.#native.within(queries, this.#checkRadius(radius), checkThreads(options));
  }

  /** {@link nearest} for several queries, one after the other: faster than a call for each. */
  nearestMany(
    queries: BigUint64Array,
    k: number,
    options?: HammingSearchOptions,
  ): HammingMatchesMany {
    this.#checkSignatures("queries", queries);
    return this.#native.nearest(queries, checkK(k), checkThreads(options));
  }

  /** {@link within} on another thread. */
  async withinAsync(
    query: BigUint64Array,
    radius: number,
    options?: HammingAsyncOptions,
  ): Promise<HammingMatches> {
    this.#checkQuery(query);
    return one(await this.withinManyAsync(query, radius, options));
  }

  /** {@link nearest} on another thread. */
  async nearestAsync(
    query: BigUint64Array,
    k: number,
    options?: HammingAsyncOptions,
  ): Promise<HammingMatches> {
    this.#checkQuery(query);
    return one(await this.nearestManyAsync(query, k, options));
  }

  /** {@link withinMany} on another thread. */
  async withinManyAsync(
    queries: BigUint64Array,
    radius: number,
    options?: HammingAsyncOptions,
  ): Promise<HammingMatchesMany> {
    this.#checkSignatures("queries", queries);
    this.#checkRadius(radius);
    const { threads, signal } = checkAsync(options);
    return withCancel(signal, (cancel) =>
      this.#native.withinAsync(queries, radius, threads, cancel),
    );
  }

  /** {@link nearestMany} on another thread. */
  async nearestManyAsync(
    queries: BigUint64Array,
    k: number,
    options?: HammingAsyncOptions,
  ): Promise<HammingMatchesMany> {
    this.#checkSignatures("queries", queries);
    checkK(k);
    const { threads, signal } = checkAsync(options);
    return withCancel(signal, (cancel) => this.#native.nearestAsync(queries, k, threads, cancel));
  }

  /**
   * Hashes the signatures there are now, so that {@link within} finds those in a small radius, up
   * to about an eighth of the bits, without looking at all of them. Answers stay the same; where
   * hashes would be slower, or for signatures added later, a search looks at all as before. Takes
   * about a second and 30 bytes a signature for ten million of 128 bits.
   */
  hash(): void {
    this.#native.hash();
  }

  /** {@link hash} on another thread; searches meanwhile use the hashes there were before. */
  async hashAsync(options?: HammingHashOptions): Promise<void> {
    const signal = checkSignal(expectOptions("options", options ?? {}, ["signal"])["signal"]);
    await withCancel(signal, (cancel) => this.#native.hashAsync(cancel));
  }

  /**
   * All signatures as bytes, for {@link deserialize}. Hashes are left out. There is no checksum:
   * who keeps the bytes where they may rot adds one, since any bits are a signature.
   */
  serialize(): Uint8Array {
    return this.#native.serialize();
  }

  /**
   * The sum of all words: reads what a search reads and does nothing else, for benches.
   *
   * @internal
   */
  sum(threads: number): number {
    return this.#native.sum(threads);
  }

  #checkRadius(radius: unknown): number {
    return expectInteger("radius", radius, 0, this.bits);
  }

  #checkQuery(query: unknown): void {
    checkWords("query", query);
    if (query.length !== this.#words) {
      throw outOfRange("query", `${this.#words} words, for ${this.bits} bits`, query.length);
    }
  }

  /** Returns the number of words. */
  #checkSignatures(argument: string, value: unknown): number {
    checkWords(argument, value);
    if (value.length % this.#words !== 0) {
      const what = `a multiple of ${this.#words} words, for ${this.bits} bits each`;
      throw outOfRange(argument, what, value.length);
    }
    return value.length;
  }
}

function checkWords(argument: string, value: unknown): asserts value is BigUint64Array {
  if (!(value instanceof BigUint64Array)) throw expected(argument, "a BigUint64Array", value);
  expectAttached(argument, value);
}

function checkK(k: unknown): number {
  return expectInteger("k", k, 1, MOST_SIGNATURES);
}

function checkThreads(options: unknown, known: readonly string[] = ["threads"]): number {
  const { threads = 1 } = expectOptions("options", options ?? {}, known);
  return expectInteger("options.threads", threads, 1, MOST_THREADS);
}

function checkAsync(options: HammingAsyncOptions | undefined) {
  const threads = checkThreads(options, ["threads", "signal"]);
  return { threads, signal: checkSignal(options?.signal) };
}

function one({ ids, distances }: NativeMatches): HammingMatches {
  return { ids, distances };
}
