import type { SearchScope } from "./search-binding.js";

/** What native code is asked about a bank's chunks (native/napi/chunk_calls.h). */

/** How turns are cut into chunks (native/bank/chunker.h). */
export interface ChunkerConfig {
  /** Turns of a chunk, at most. */
  readonly turns: number;
  /** Tokens of a chunk, at most; a longer turn is cut into pieces of about so many. */
  readonly tokens: number;
}

/** Chunks as lists of pieces: of chunk i those from `offsets[i]` to `offsets[i + 1]`. */
export interface ChunkPieces {
  readonly offsets: Uint32Array;
  /** Of each piece its entry, and two numbers: its tokens [from, to); the whole entry: 0, NONE. */
  readonly entries: Uint32Array;
  readonly ranges: Uint32Array;
}

/** With their vectors, one after the other. */
export interface EmbeddedChunks extends ChunkPieces {
  readonly vectors: Float32Array;
}

/** Where an accelerator has looked for the nearest: what native code is left to score, exactly. */
export interface ChunkCandidates {
  /** Recorded chunks, ascending; the others are passed over, but for those from `from` on. */
  readonly chunks: Uint32Array;
  readonly from: number;
  /** Of {@link AtomQuery}: the atoms that are scored and come first; their chunks are among these. */
  readonly atoms?: Uint32Array | undefined;
}

/** The living chunks that have a vector (native/bank/chunk_table.h). */
export interface ChunkTable {
  /** Another number whenever a chunk comes, dies, or is in another atom; never the same again. */
  readonly version: number;
  /** Empty, these, where the version is still the one that is known. */
  readonly chunks: Uint32Array;
  readonly atoms: Uint32Array;
  /** The entries of chunk i: from `offsets[i]` to `offsets[i + 1]`. */
  readonly offsets: Uint32Array;
  readonly entries: Uint32Array;
  /** Chunks from this number on are not in the table. */
  readonly nextChunk: number;
  readonly dimensions: number;
}

export interface ChunkQuery extends SearchScope, ChunkerConfig {
  readonly vector: Float32Array;
  /** Chunks; of {@link AtomQuery} atoms. */
  readonly limit: number;
  /** The chunks without a record, where the embedder is not native code's own. */
  readonly open?: EmbeddedChunks | undefined;
  /** All are looked at if undefined. */
  readonly candidates?: ChunkCandidates | undefined;
}

export interface AtomQuery extends ChunkQuery {
  /** The rule's place in {@link RETRIEVAL_RULES}. */
  readonly by: number;
}

/** Parallel arrays, best first; of each chunk only the entries that may be found. */
export interface ChunkResult extends ChunkPieces {
  /** Numbers of the chunks; those from the bank's next one on have no record yet. */
  readonly chunks: Uint32Array;
  /** Cosines with the question. */
  readonly scores: Float32Array;
  /** NONE: it says nothing, and is in none. */
  readonly atoms: Uint32Array;
}

/** All chunks of the nearest atoms, atom by atom, best first. */
export interface AtomResult extends ChunkResult {
  readonly nearest: Uint32Array;
  readonly nearestScores: Float32Array;
  /** The chunks of atom i: from `nearestOffsets[i]` to `nearestOffsets[i + 1]`. */
  readonly nearestOffsets: Uint32Array;
}

export interface ChunkCounts {
  readonly chunks: number;
  readonly atoms: number;
  /** Chunks of the largest atom. */
  readonly largestAtom: number;
  /** The cosine from which on a chunk joins an atom; undefined: too few chunks to know. */
  readonly threshold?: number;
}

/** What {@link NativeView} has of chunks. */
export interface NativeChunkView {
  searchChunks(query: ChunkQuery, cancel?: Int32Array): Promise<ChunkResult>;
  nearestAtoms(query: AtomQuery, cancel?: Int32Array): Promise<AtomResult>;
  /** All chunks in the order of their numbers, with vectors of unit length; their scores say nothing. */
  allChunks(query: ChunkQuery, cancel?: Int32Array): Promise<ChunkResult & EmbeddedChunks>;
  /** The next chunks that are to be recorded, `most` or a few more; none: all are. */
  dueChunks(options: ChunkerConfig & { readonly most: number }): Promise<ChunkPieces>;
  /** The latest chunks that have no record, due or not. */
  openChunks(options: ChunkerConfig): Promise<ChunkPieces>;
  countChunks(): Promise<ChunkCounts>;
  chunkTable(options: { readonly known: number }): Promise<ChunkTable>;
  /** Of each of the chunks the vector of unit length; zeros for one that is gone. */
  chunkVectors(options: { readonly chunks: Uint32Array }): Promise<Float32Array>;
}

/** What {@link NativeBank} has of chunks. */
export interface NativeChunkBank {
  /**
   * Records the next chunks that are due, with vectors made from the bank's own words. Resolves to
   * how many were due; 0: none.
   */
  indexChunks(
    options: ChunkerConfig & { readonly most: number; readonly threshold?: number | undefined },
  ): Promise<number>;
  /** Records these, unless others have chunked one of their entries, or it is gone. */
  appendChunks(
    chunks: EmbeddedChunks & {
      readonly dimensions: number;
      /** Of the view that they were made from: in a bank that has come in its place they are nothing. */
      readonly incarnation: number;
      readonly threshold?: number | undefined;
    },
  ): Promise<void>;
}
