/** As `CosineMatches` of src/accelerators/accelerator.ts. */
export interface NativeCosineMatches {
  readonly k: number;
  readonly ids: Uint32Array;
  readonly scores: Float32Array;
}

export interface NativeSubspaces {
  readonly vectors: Float32Array;
  readonly values: Float32Array;
}

/** native/napi/vector_table_wrap.h. Arguments are trusted: what calls it has checked them. */
export interface NativeVectorTable {
  append(vectors: Float32Array): void;
  /** Gives the memory back, once what is under way has ended. */
  release(): void;
  cosineTopKAsync(
    queries: Float32Array,
    k: number,
    threads: number,
    cancel: Int32Array | undefined,
  ): Promise<NativeCosineMatches>;
  unitRowSumsAsync(
    ids: Uint32Array,
    offsets: Uint32Array,
    threads: number,
    cancel: Int32Array | undefined,
  ): Promise<Float32Array>;
  /** Reads every row once, on this thread, and returns a sum of them. For benches. */
  sum(): number;
}

export interface NativeVectorTableClass {
  /** Room for rows, which `append` fills: all of them before anything else is asked. */
  new (rows: number, dimensions: number): NativeVectorTable;
  singularVectorsAsync(
    rows: Float32Array,
    dimensions: number,
    offsets: Uint32Array,
    rank: number,
    threads: number,
    cancel: Int32Array | undefined,
  ): Promise<NativeSubspaces>;
}
