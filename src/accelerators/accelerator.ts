/**
 * Where dense maths runs. An accelerator keeps rows (vectors or signatures) where it computes, and
 * answers questions about them; all accelerators give the same answers, up to the precision that
 * their manifest states (test/accelerators/conformance.ts compares each with `reference`).
 *
 * Rows are row-major: row i of a matrix of d dimensions is `[i * d, (i + 1) * d)`. Ragged groups are
 * given by `offsets`: group g is rows `[offsets[g], offsets[g + 1])`, and `offsets[0]` is 0.
 *
 * What an accelerator is given has been checked (checked.ts): lengths fit, numbers are finite, k and
 * radius are in range. It never changes its arguments, nor keeps them after it has answered.
 */

/** Every accelerator there is; a machine may lack what some need. */
export const ACCELERATORS = ["cuda", "native", "tfjs", "gpujs", "reference"] as const;
/** One of {@link ACCELERATORS}. */
export type AcceleratorName = (typeof ACCELERATORS)[number];

/** What an accelerator may be able to do. */
export const OPERATIONS = [
  "cosineTopK",
  "firstSingularVectors",
  "subspaces",
  "hammingTopK",
  "hammingWithin",
  "embed",
] as const;
/** One of {@link OPERATIONS}. */
export type Operation = (typeof OPERATIONS)[number];

/** What an accelerator promises of one operation. */
export interface OperationManifest {
  /** The most by which a score, or a component of a vector of unit length, is off; 0: exact. */
  readonly tolerance: number;
  /** The arithmetic, in words: "float32", "bf16 in, float32 sums". */
  readonly precision: string;
  /**
   * Multiply-adds (of the Hamming ones: 64-bit words) from which on it is likely to be faster than
   * `native`; what was measured on this machine counts more (crossover.ts). 0: always.
   */
  readonly paysFrom: number;
}

/** What an accelerator can do. An operation that it lacks is absent. */
export interface AcceleratorManifest {
  readonly name: AcceleratorName;
  readonly operations: Readonly<Partial<Record<Operation, OperationManifest>>>;
}

/** Vectors that an accelerator holds. */
export interface DeviceVectors {
  readonly count: number;
  readonly dimensions: number;
  /** Gives their memory back; they can't be used afterwards. A second call does nothing. */
  dispose(): void;
}

/** Signatures that an accelerator holds. */
export interface DeviceSignatures {
  readonly count: number;
  /** Of each: a multiple of 64. */
  readonly bits: number;
  /** Gives their memory back; they can't be used afterwards. A second call does nothing. */
  dispose(): void;
}

/**
 * The rows nearest to each query: query q's are `[q * k', (q + 1) * k')` where k' is the smaller of k and the number of
 * rows; best first, of equals the one with the lower id.
 */
export interface CosineMatches {
  readonly k: number;
  readonly ids: Uint32Array;
  /** Cosines; 0 where the query or the row is all zeros. */
  readonly scores: Float32Array;
}

/** As {@link CosineMatches}, by Hamming distance. */
export interface HammingTopMatches {
  readonly k: number;
  readonly ids: Uint32Array;
  readonly distances: Uint16Array;
}

/** The rows within a radius: query q's are `[offsets[q], offsets[q + 1])`, in ascending order of id. */
export interface HammingBallMatches {
  readonly offsets: Uint32Array;
  readonly ids: Uint32Array;
  readonly distances: Uint16Array;
}

/** Ragged groups of vectors. */
export interface VectorGroups {
  readonly rows: Float32Array;
  readonly dimensions: number;
  /** One more than there are groups. A group may be empty. */
  readonly offsets: Uint32Array;
}

/**
 * A squared singular value below this share of the largest counts for none: what float32 sums leave of
 * equal rows. Native code's atoms have the same (native/atoms/basis.h).
 */
export const NEGLIGIBLE = 1e-5;

/**
 * Of each group the right singular vectors of its rows with the largest singular values: `rank` vectors of
 * unit length a group, orthogonal, largest first; zeros, the value too, beyond the group's own rank
 * ({@link NEGLIGIBLE}). The sign is such that the sum of the group's rows has no negative product with the vector.
 */
export interface Subspaces {
  readonly rank: number;
  /** groups × rank × dimensions. */
  readonly vectors: Float32Array;
  /** groups × rank singular values. */
  readonly values: Float32Array;
}

/** How an operation runs. */
export interface AcceleratorOptions {
  /** Gives it up: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** One way to do the dense maths. A driver omits the operations that its manifest does not list. */
export interface AcceleratorDriver {
  readonly manifest: AcceleratorManifest;
  /** What it really runs on, in words: "AVX-512, 8 threads", "tensorflow, NVIDIA H200". */
  readonly device: string;

  /** Copies rows to where it computes. Any number of rows, more than its memory holds at once too. */
  vectors(rows: Float32Array, dimensions: number): Promise<DeviceVectors>;
  /** Copies signatures, `bits / 64` words each. */
  signatures(rows: BigUint64Array, bits: number): Promise<DeviceSignatures>;

  /** The k vectors with the highest cosine to each query. `queries` are rows of the same dimensions. */
  cosineTopK?(
    queries: Float32Array,
    vectors: DeviceVectors,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<CosineMatches>;

  /** The first of {@link Subspaces}, a row a group: what an atom is found by (RSM, section 3). */
  firstSingularVectors?(groups: VectorGroups, options?: AcceleratorOptions): Promise<Float32Array>;

  /** The first `rank` of them, and their values. */
  subspaces?(groups: VectorGroups, rank: number, options?: AcceleratorOptions): Promise<Subspaces>;

  /** The k signatures nearest to each query. */
  hammingTopK?(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<HammingTopMatches>;

  /** The signatures at most `radius` bits from each query. */
  hammingWithin?(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    radius: number,
    options?: AcceleratorOptions,
  ): Promise<HammingBallMatches>;

  /**
   * Text to vectors by a static model: of each group of token ids the sum of the table's rows, of unit
   * length; zeros where the group is empty or the rows cancel. Ids index the table. Models with layers are in `dentate/embed`.
   */
  embed?(
    table: DeviceVectors,
    ids: Uint32Array,
    offsets: Uint32Array,
    options?: AcceleratorOptions,
  ): Promise<Float32Array>;

  /** Gives everything back. */
  close(): Promise<void>;
}
