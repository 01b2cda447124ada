/** Which atom a new member joins (`native/atoms/policy.h` has the formulas). */
export type AtomPolicy = "max-member" | "streaming-proto" | "online-k-means" | "dp-means";

/** Which arm of `max-member` can cause a join: the atom's mean, any one member, or either. */
export type AtomGate = "both" | "mean" | "member";

/** How members are held: 4 bytes or 1 byte a dimension. */
export type AtomStorage = "float32" | "int8";

/**
 * What a query is compared with: an atom's first right singular vector, its normalised mean, the
 * space of its first `rank` singular vectors, or the member closest to the query.
 */
export type AtomRule = "first-singular-vector" | "centroid" | "subspace" | "best-member";

/** How an index is made. What a policy has no use for is ignored, so that it can be left given. */
export interface AtomIndexOptions {
  /** Values in an embedding, 1 to 4,096. */
  readonly dimensions: number;
  /** From -1 to 1: at least this close, a new member joins. Every policy but `online-k-means` needs it. */
  readonly threshold?: number | undefined;
  /** `max-member` unless given. */
  readonly policy?: AtomPolicy | undefined;
  /** Of `max-member`; `both` unless given. */
  readonly gate?: AtomGate | undefined;
  /** How many atoms `online-k-means` makes; it needs it. */
  readonly clusters?: number | undefined;
  /**
   * Of `online-k-means`: with a seed, each member before there are enough atoms opens one with
   * probability 1/2; without one, the first `clusters` members do.
   */
  readonly seed?: number | undefined;
  /** `float32` unless given. */
  readonly storage?: AtomStorage | undefined;
  /** Most singular vectors that are kept of an atom, 1 to 16; 8 unless given. */
  readonly rank?: number | undefined;
}

/** What became of an embedding. */
export interface AtomAdded {
  /** The number of the new member: members are numbered from 0 as they come. */
  readonly member: number;
  /** The atom that it is in now. */
  readonly atom: number;
  /** Whether it opened that atom. */
  readonly created: boolean;
  /**
   * How close it was, from -1 to 1, to the atom that it joined; to the closest one, if none was
   * close enough; -1 if there was none.
   */
  readonly similarity: number;
}

/** How atoms are looked for. */
export interface AtomNearestOptions {
  /** At most how many, 6 unless given. */
  readonly atoms?: number | undefined;
  /** `first-singular-vector` unless given. */
  readonly by?: AtomRule | undefined;
}

/** How atoms are looked for off the main thread. */
export interface AtomNearestAsyncOptions extends AtomNearestOptions {
  /** Gives the search up: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** How embeddings are added off the main thread. */
export interface AtomAddOptions {
  /** Gives up: what was added is taken back, then it rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Atoms found, best first: atom `atoms[i]` has score `scores[i]`, a cosine from -1 to 1. */
export interface AtomMatches {
  readonly atoms: Uint32Array;
  readonly scores: Float64Array;
}

/** Members found, best first: member `members[i]` has cosine `similarities[i]` with the query. */
export interface MemberMatches {
  readonly members: Uint32Array;
  readonly similarities: Float64Array;
}

/** The atoms there are, ascending, and how many members each has. */
export interface AtomSizes {
  readonly atoms: Uint32Array;
  readonly sizes: Uint32Array;
}

/** How a threshold is found. */
export interface AtomCalibrateOptions {
  /** Of the pairwise cosines, from 0 to 1; 0.7 unless given. */
  readonly percentile?: number | undefined;
  /**
   * The largest share of all embeddings that one atom may hold, above 0 and at most 1 (no limit,
   * unless given): the percentile is raised by hundredths until it is kept.
   */
  readonly largest?: number | undefined;
}
