import type { RecallAcceleration } from "../acceleration/acceleration.js";
import type { EmbeddingChoice } from "../embed/choice.js";
import { type Embedder, embedTexts } from "../embed/embedder.js";
import type { Bits } from "../internal/bits.js";
import { inSearchSlot } from "../internal/search-slots.js";
import type {
  AtomResult,
  ChunkPieces,
  ChunkResult,
  EmbeddedChunks,
} from "../native/chunk-binding.js";
import type { NativeView } from "../native/store-binding.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { chunkTexts } from "./chunk-texts.js";
import { RETRIEVAL_RULES, type RetrievalRule } from "./retrieval.js";

/** Texts whose vectors are remembered: open chunks are asked for by each recall until they are full. */
const MOST_TEXTS = 1024;
/** As many atoms as there can be. */
const ALL_ATOMS = 2 ** 32 - 1;
const rememberedOf = new WeakMap<Embedder, Map<string, Float32Array>>();

const NO_CHUNKS: EmbeddedChunks = {
  offsets: new Uint32Array(1),
  entries: new Uint32Array(0),
  ranges: new Uint32Array(0),
  vectors: new Float32Array(0),
};

/** What of one recall the search over chunks depends on. */
export interface Asking {
  readonly embedding: EmbeddingChoice;
  readonly tokenizer: Tokenizer;
  readonly view: NativeView;
  readonly question: string;
  /** The mean of the question's words, where the encoder has vectors. */
  readonly vector: Float32Array | undefined;
  readonly mask: Bits | undefined;
  /** Undefined: all is left to native code. */
  readonly acceleration: RecallAcceleration | undefined;
  readonly cancel: Int32Array | undefined;
  readonly signal: AbortSignal | undefined;
  /** Says that the bank's chunks are made use of. */
  readonly wanted: () => void;
  /** Resolves when the chunks that are due have been made. */
  readonly caughtUp: () => Promise<void>;
  /** Settles as `pending` does, or rejects when the memory is closed. */
  readonly untilClosed: <T>(pending: Promise<T>) => Promise<T>;
}

/** Chunks with their vectors, and that of the question. */
export interface AllChunks extends ChunkResult, EmbeddedChunks {
  readonly dimensions: number;
  readonly question: Float32Array;
}

/** Whether it is the vector of a text without a word that counts. */
export function saysNothing(vector: Float32Array): boolean {
  return vector.every((value) => value === 0);
}

/** A bank's chunks and atoms, as a strategy may ask for them. */
export class ChunkAccess {
  readonly #asking: Asking;
  #vector: Promise<Float32Array> | undefined;
  #open: Promise<EmbeddedChunks | undefined> | undefined;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** Whether the memory has an embedder. */
  get isPossible(): boolean {
    return this.#asking.embedding.embedder !== "none";
  }

  /** Whether it is a model of the caller's. */
  get hasModel(): boolean {
    return typeof this.#asking.embedding.embedder !== "string";
  }

  /** Resolves when all that is not open has been made chunks of: for those who want atoms alone. */
  async ready(): Promise<void> {
    if (this.isPossible) await this.#asking.caughtUp();
  }

  /**
   * The chunks nearest to the question, recorded or not; undefined where the memory has no embedder,
   * or the question says nothing.
   */
  async search(limit: number): Promise<ChunkResult | undefined> {
    const query = await this.#query(limit);
    if (query === undefined) return undefined;
    const { view, cancel, mask, acceleration } = this.#asking;
    const search = { question: query.vector, chunks: limit, mask };
    const candidates = await acceleration?.candidates(search, view);
    return inSearchSlot(() => view.searchChunks({ ...query, candidates }, cancel));
  }

  /** As {@link search}, among those that have a vector already: nothing but the question is embedded. */
  async searchRecorded(limit: number): Promise<ChunkResult | undefined> {
    if (!this.hasModel) return undefined;
    const { embedding, view, mask, acceleration, cancel, wanted, untilClosed } = this.#asking;
    wanted();
    this.#vector ??= this.#embedQuestion();
    const vector = await untilClosed(this.#vector);
    if (saysNothing(vector)) return undefined;
    const query = { ...embedding.chunker, vector, limit, mask, open: NO_CHUNKS };
    const search = { question: vector, chunks: limit, mask };
    const candidates = await acceleration?.candidates(search, view);
    return inSearchSlot(() => view.searchChunks({ ...query, candidates }, cancel));
  }

  /**
   * The atoms nearest to the question, at least the first `atoms` of them in their order, with all their
   * chunks, and of the others' chunks at least the nearest `limit`.
   */
  async nearestAtoms(
    atoms: number,
    by: RetrievalRule,
    limit: number,
  ): Promise<AtomResult | undefined> {
    const query = await this.#query(ALL_ATOMS);
    if (query === undefined) return undefined;
    const { view, cancel, mask, acceleration } = this.#asking;
    const search = { question: query.vector, chunks: limit, atoms: { count: atoms, by }, mask };
    const candidates = await acceleration?.candidates(search, view);
    const asked = { ...query, candidates, by: RETRIEVAL_RULES.indexOf(by) };
    return inSearchSlot(() => view.nearestAtoms(asked, cancel));
  }

  /**
   * All chunks that may be found, in the order in which they were made, with their vectors; undefined
   * where the memory has no embedder. A question that says nothing is zeros.
   */
  async all(): Promise<AllChunks | undefined> {
    if (!this.isPossible) return undefined;
    const query = await this.#prepare(0);
    const { view, cancel } = this.#asking;
    const dimensions = query.vector.length;
    const vector = new Float32Array(dimensions);
    const found = await inSearchSlot(() => view.allChunks({ ...query, vector }, cancel));
    return { ...found, dimensions, question: query.vector };
  }

  async #query(limit: number) {
    if (!this.isPossible) return undefined;
    const query = await this.#prepare(limit);
    return saysNothing(query.vector) ? undefined : query;
  }

  async #prepare(limit: number) {
    this.#asking.wanted();
    this.#vector ??= this.#embedQuestion();
    this.#open ??= this.#embedOpen();
    // Both at once: what is not waited for would have nobody to tell when it fails.
    const [vector, open] = await this.#asking.untilClosed(Promise.all([this.#vector, this.#open]));
    const { embedding, mask } = this.#asking;
    return { ...embedding.chunker, vector, limit, mask, open };
  }

  async #embedQuestion(): Promise<Float32Array> {
    const { embedding, question, vector, signal } = this.#asking;
    const { embedder } = embedding;
    if (typeof embedder === "string") return vector ?? new Float32Array(0);
    return embedTexts(embedder, [question], { kind: "query", signal });
  }

  /** The chunks without a record, where native code does not embed them itself. */
  async #embedOpen(): Promise<EmbeddedChunks | undefined> {
    const { embedding, view, tokenizer, signal } = this.#asking;
    const { embedder, chunker } = embedding;
    if (typeof embedder === "string") return undefined;
    const open: ChunkPieces = await view.openChunks(chunker);
    const texts = chunkTexts(view, open, tokenizer);
    const remembered = rememberedOf.get(embedder) ?? new Map<string, Float32Array>();
    rememberedOf.set(embedder, remembered);
    const vectorOf = new Map<string, Float32Array | undefined>();
    for (const text of texts) vectorOf.set(text, remembered.get(text));
    const missing = [...vectorOf.keys()].filter((text) => vectorOf.get(text) === undefined);
    if (missing.length > 0) {
      const embedded = await embedTexts(embedder, missing, { kind: "document", signal });
      for (const [i, text] of missing.entries()) {
        const vector = embedded.slice(i * embedder.dimensions, (i + 1) * embedder.dimensions);
        vectorOf.set(text, vector);
        remembered.set(text, vector);
      }
    }
    const vectors = new Float32Array(texts.length * embedder.dimensions);
    for (const [i, text] of texts.entries()) {
      vectors.set(vectorOf.get(text)!, i * embedder.dimensions);
    }
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MOST_TEXTS) break;
      remembered.delete(oldest);
    }
    return { ...open, vectors };
  }
}
