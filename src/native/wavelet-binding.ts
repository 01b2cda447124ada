export interface NativeSymbolCounts {
  readonly symbols: Uint32Array;
  readonly counts: Uint32Array;
}

/**
 * native/napi/dynamic_wavelet_matrix_wrap.h. Positions and intervals must lie in the sequence and
 * symbols below 2^symbolBits: what does not throws `DENTATE_INTERNAL`.
 */
export interface NativeDynamicWaveletMatrix {
  readonly symbolBits: number;
  readonly size: number;
  readonly sizeInBytes: number;
  /** Returns the new size. */
  append(symbols: Uint32Array): number;
  access(position: number): number;
  accessMany(positions: Uint32Array): Uint32Array;
  accessRange(start: number, end: number): Uint32Array;
  rank(symbol: number, position: number): number;
  rankMany(symbols: Uint32Array, positions: Uint32Array): Uint32Array;
  /** 2^32 - 1 where there is no such occurrence; so in selectMany. */
  select(symbol: number, k: number): number;
  selectMany(symbols: Uint32Array, ks: Uint32Array): Uint32Array;
  count(symbol: number): number;
  occurrences(symbol: number, from: number, limit: number): Uint32Array;
  rangeCount(start: number, end: number, low: number, high: number): number;
  rangeQuantile(start: number, end: number, k: number): number | undefined;
  rangeTopK(start: number, end: number, k: number): NativeSymbolCounts;
  rangeDistinct(start: number, end: number): NativeSymbolCounts;
  /** Start and end of each range, one after the other. */
  rangeIntersect(bounds: Uint32Array): Uint32Array;
  /** Hands what there is now to the sealing thread. */
  seal(): void;
  /**
   * Waits until all that was handed over is sealed. Holds a thread of libuv's pool meanwhile, so
   * that a caller has one at a time for a matrix.
   */
  sealedAsync(): Promise<void>;
  serialize(): Uint8Array;
}

export type NativeDynamicWaveletMatrixClass = new (
  symbolBitsOrBytes: number | Uint8Array,
  sealAfter: number,
) => NativeDynamicWaveletMatrix;
