/** Matches of one query after another: those of the i-th lie from `offsets[i]` to `offsets[i + 1]`. */
export interface NativeMatches {
  readonly ids: Uint32Array;
  readonly distances: Uint16Array;
  readonly offsets: Uint32Array;
}

/** native/napi/hamming_index_wrap.h. Arguments are trusted: `HammingIndex` has checked them. */
export interface NativeHammingIndex {
  readonly words: number;
  readonly size: number;
  readonly hashed: number;
  readonly sizeInBytes: number;
  add(signatures: BigUint64Array): number;
  within(queries: BigUint64Array, radius: number, threads: number): NativeMatches;
  nearest(queries: BigUint64Array, k: number, threads: number): NativeMatches;
  withinAsync(
    queries: BigUint64Array,
    radius: number,
    threads: number,
    cancel: Int32Array | undefined,
  ): Promise<NativeMatches>;
  nearestAsync(
    queries: BigUint64Array,
    k: number,
    threads: number,
    cancel: Int32Array | undefined,
  ): Promise<NativeMatches>;
  hash(): void;
  hashAsync(cancel: Int32Array | undefined): Promise<void>;
  /** Leaves an empty index, and gives the memory back once what is under way has ended. */
  release(): void;
  serialize(): Uint8Array;
  /** The sum of all words: reads what a search reads and does nothing else. For benches. */
  sum(threads: number): number;
}

export interface NativeHammingIndexClass {
  new (words: number): NativeHammingIndex;
  new (serialized: Uint8Array): NativeHammingIndex;
}
