import type { NativeMatches } from "./hamming-binding.js";

/** native/cuda/plugin.h, DentateCudaPrecision. */
export const CUDA_PRECISIONS = ["fp16", "bf16", "int8"] as const;
/** native/cuda/plugin.h, DentateCudaKind. */
export const CUDA_VECTORS = 0;
export const CUDA_SIGNATURES = 1;

/** native/napi/cuda_engine_wrap.h. Arguments are trusted: `Accelerator` has checked them. */
export interface NativeCudaEngine {
  /** Starts the device; what it is, in words. */
  open(cancel: Int32Array | undefined): Promise<string>;
  close(): Promise<void>;
  /** Bytes of device memory. */
  memory(): { readonly held: number; readonly cached: number; readonly cap: number };
  subspaces(
    rows: Float32Array,
    dimensions: number,
    offsets: Uint32Array,
    rank: number,
    cancel: Int32Array | undefined,
  ): Promise<{ readonly vectors: Float32Array; readonly values: Float32Array }>;
}

/** native/napi/cuda_rows_wrap.h. Rows are appended in order, one call at a time, before they are searched. */
export interface NativeCudaRows {
  append(rows: Float32Array | BigUint64Array): Promise<void>;
  dispose(): void;
  cosineTopK(
    queries: Float32Array,
    k: number,
    cancel: Int32Array | undefined,
  ): Promise<{ readonly ids: Uint32Array; readonly scores: Float32Array }>;
  hammingTopK(
    queries: BigUint64Array,
    k: number,
    cancel: Int32Array | undefined,
  ): Promise<{ readonly ids: Uint32Array; readonly distances: Uint16Array }>;
  hammingWithin(
    queries: BigUint64Array,
    radius: number,
    cancel: Int32Array | undefined,
  ): Promise<NativeMatches>;
  embed(
    ids: Uint32Array,
    offsets: Uint32Array,
    cancel: Int32Array | undefined,
  ): Promise<Float32Array>;
}

export interface NativeCudaEngineClass {
  /** Opens the plugin's library, and throws `DENTATE_UNAVAILABLE` where that can't be. `memoryCap` 0: the default. */
  new (path: string, device: number, precision: number, memoryCap: number): NativeCudaEngine;
}

export interface NativeCudaRowsClass {
  new (engine: NativeCudaEngine, kind: number, count: number, width: number): NativeCudaRows;
}
