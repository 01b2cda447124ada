/** How an index is made: choices as the numbers of native/atoms/member_rows.h and policy.h. */
export interface NativeAtomOptions {
  readonly dimensions: number;
  readonly rank: number;
  readonly storage: number;
  readonly policy: number;
  readonly gate: number;
  readonly seeded: boolean;
  readonly seed: number;
  readonly clusters: number;
  readonly threshold: number;
}

/** Of each vector of a batch four numbers: member, atom, 1 where it opened the atom, similarity. */
export type NativeAdded = Float64Array;

/** Atoms or members of one query after another: from `offsets[i]` to `offsets[i + 1]`. */
export interface NativeScored {
  readonly numbers: Uint32Array;
  readonly scores: Float64Array;
  readonly offsets: Uint32Array;
}

/** native/napi/atom_index_wrap.h. Arguments are trusted: `AtomIndex` has checked them. */
export interface NativeAtomIndex {
  readonly options: NativeAtomOptions;
  readonly size: number;
  readonly count: number;
  readonly sizeInBytes: number;
  add(vectors: Float32Array): NativeAdded;
  addAsync(vectors: Float32Array, cancel: Int32Array | undefined): Promise<NativeAdded>;
  remove(member: number): boolean;
  atomOf(member: number): number | undefined;
  members(atom: number): Uint32Array;
  vector(member: number): Float32Array | undefined;
  atoms(): { readonly numbers: Uint32Array; readonly sizes: Uint32Array };
  nearest(queries: Float32Array, most: number, by: number): NativeScored;
  nearestAsync(
    queries: Float32Array,
    most: number,
    by: number,
    cancel: Int32Array | undefined,
  ): Promise<NativeScored>;
  nearestMembers(query: Float32Array, most: number): NativeScored;
  similarities(query: Float32Array, members: Uint32Array): Float32Array;
  /** Rows of the statistic that a search by `by` compares with; empty where there is none. */
  statistics(atom: number, by: number): Float32Array;
  serialize(): Uint8Array;
  /** Reads every stored byte of the members once, for benches. */
  sum(): number;
}

export interface NativeAtomIndexClass {
  new (options: NativeAtomOptions): NativeAtomIndex;
  new (serialized: Uint8Array): NativeAtomIndex;
  calibrate(
    vectors: Float32Array,
    dimensions: number,
    percentile: number,
    mostShare: number,
  ): number;
}
