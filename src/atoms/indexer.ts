import { setImmediate } from "node:timers/promises";
import type { BankHandle } from "../bank-handle.js";
import type { EmbeddingChoice } from "../embed/choice.js";
import { type Embedder, embedTexts } from "../embed/embedder.js";
import { DentateError } from "../errors.js";
import type { ChunkPieces } from "../native/chunk-binding.js";
import type { NativeView } from "../native/store-binding.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { chunkTexts, someOf } from "./chunk-texts.js";

/** What the indexer needs of the memory it is in. */
export interface IndexerHost {
  readonly embedding: EmbeddingChoice;
  /** The vocabulary says where long turns may be cut. */
  readonly tokenizer: Tokenizer;
  readonly isOpen: boolean;
  bank(name: string): BankHandle;
}

/** Milliseconds without an add after which chunks are made, and those after which they are anyway. */
const QUIET_MS = 20;
const LONGEST_WAIT_MS = 1000;
/** While turns are added a pause is so many times as long as a step, up to the latter. */
const PAUSE_BY_STEP = 9;
const LONGEST_PAUSE_MS = 250;
/** Chunks at a time: what others wait for is at most one such step. */
const MOST_CHUNKS = 32;
/** What a model of the caller's is given at a time, unless it says what it likes. */
const MOST_TEXTS = 16;
const ALL_CHUNKS = 2 ** 32 - 1;

/** How far the making of a bank's chunks is. */
export interface IndexProgress {
  readonly chunks: number;
  /** As many as were due, and have become due since. */
  readonly total: number;
}

/**
 * Makes chunks of what was added, in the background: cuts, embeds and records those that are due,
 * some at a time, on a thread of the pool. No add and no recall waits for it; what it has not come to
 * is embedded by the recall that looks for it.
 *
 *   add ─► due ─► a quiet moment ─► 32 chunks ─► others' turn ─► 32 chunks ─► …
 *
 * Who adds without a pause wants all processors for it: until then a step is followed by a longer
 * pause, unless somebody waits for what is due.
 *
 * A bank is looked through when it was added to, and when a recall first wants its chunks: so chunks
 * that a process left undone, and those of a store made before there were any, are made as soon as
 * somebody needs them, and no bank is opened for it.
 */
export class Indexer {
  readonly #host: IndexerHost;
  /** Banks that may have chunks due, in the order in which they are looked at. */
  readonly #due = new Set<string>();
  readonly #seen = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #lastDue = 0;
  #firstDue = 0;
  /** Settles when what runs has ended. */
  #running: Promise<void> | undefined;
  #pauses = 0;
  /** How many wait for what runs, and what ends its pause. */
  #hurries = 0;
  #endPause: () => void = () => {};
  readonly #abort = new AbortController();

  constructor(host: IndexerHost) {
    this.#host = host;
  }

  get #isActive(): boolean {
    return this.#host.embedding.embedder !== "none" && this.#host.isOpen && this.#pauses === 0;
  }

  /** The bank may have chunks due. */
  due(name: string): void {
    this.#lastDue = Date.now();
    if (this.#due.size === 0) this.#firstDue = this.#lastDue;
    this.#due.add(name);
    this.#seen.add(name);
    this.#schedule();
  }

  /** The same, of a bank that nobody has added to since the memory was opened. */
  wanted(name: string): void {
    if (!this.#seen.has(name)) this.due(name);
  }

  /**
   * Resolves when the bank's chunks are made, but for those that are open.
   *
   * @param onProgress After each step.
   * @throws what the embedder throws; {@link DentateError} `DENTATE_CLOSED`, `DENTATE_IO`, ...
   */
  async caughtUp(name: string, onProgress?: (progress: IndexProgress) => void): Promise<void> {
    this.#due.delete(name);
    this.#seen.add(name);
    await this.#untilIdle();
    if (this.#isActive) await this.#run(() => this.#index(name, false, onProgress));
    else if (this.#pauses > 0) this.#due.add(name);
    // Closed before it was done.
    this.#abort.signal.throwIfAborted();
  }

  /** Runs `work` while nothing is recorded. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++;
    try {
      await this.#untilIdle();
      return await work();
    } finally {
      this.#pauses--;
      // It may have been all made anew.
      this.#seen.clear();
      this.#schedule();
    }
  }

  /**
   * Ends what runs, after its step, and without the embedder's answer. What is left undone is made
   * when the bank is next used.
   */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#abort.abort(new DentateError("DENTATE_CLOSED", "the memory is closed"));
    this.#due.clear();
    await this.#untilIdle();
  }

  async #untilIdle(): Promise<void> {
    this.#hurries++;
    this.#endPause();
    while (this.#running !== undefined) await this.#running.catch(() => {});
    this.#hurries--;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#running !== undefined) return;
    if (this.#due.size === 0 || !this.#isActive) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const now = Date.now();
      const isQuiet = now - this.#lastDue >= QUIET_MS || now - this.#firstDue >= LONGEST_WAIT_MS;
      // What fails here is tried again with the next add; who wants to know calls caughtUp.
      if (isQuiet && this.#isActive) this.#run(() => this.#indexDue()).catch(() => {});
      else this.#schedule();
    }, QUIET_MS);
    this.#timer.unref();
  }

  async #run(work: () => Promise<void>): Promise<void> {
    const running = work();
    this.#running = running;
    try {
      await running;
    } finally {
      if (this.#running === running) this.#running = undefined;
      this.#schedule();
    }
  }

  async #indexDue(): Promise<void> {
    for (const name of this.#due) {
      this.#due.delete(name);
      await this.#index(name, true);
      if (!this.#isActive) return;
    }
  }

  async #index(
    name: string,
    isBackground: boolean,
    onProgress?: (progress: IndexProgress) => void,
  ): Promise<void> {
    const bank = this.#host.bank(name);
    // Loads the vocabulary where nobody has yet.
    if (this.#host.tokenizer.vocabularySize === 0) return;
    const due = onProgress === undefined ? 0 : await this.#countDue(bank);
    for (let chunks = 0; this.#isActive; ) {
      const began = performance.now();
      const made = await this.#step(bank);
      if (made === 0) return;
      chunks += made;
      // More may have been added meanwhile.
      onProgress?.({ chunks, total: Math.max(chunks, due) });
      await setImmediate();
      if (isBackground) await this.#giveWay(performance.now() - began);
    }
  }

  async #giveWay(workedMs: number): Promise<void> {
    if (this.#hurries > 0 || Date.now() - this.#lastDue >= QUIET_MS) return;
    await new Promise<void>((resolve) => {
      const ms = Math.min(PAUSE_BY_STEP * workedMs, LONGEST_PAUSE_MS);
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #countDue(bank: BankHandle): Promise<number> {
    const { embedder, chunker } = this.#host.embedding;
    if (embedder === "none") return 0;
    await bank.loading();
    return bank.viewing(undefined, async (view) => {
      const { offsets } = await view.dueChunks({ ...chunker, most: ALL_CHUNKS });
      return offsets.length - 1;
    });
  }

  /** How many chunks were due. */
  async #step(bank: BankHandle): Promise<number> {
    const { embedder, chunker, threshold } = this.#host.embedding;
    if (embedder === "none") return 0;
    if (embedder === "static") {
      return bank.native.indexChunks({ ...chunker, most: MOST_CHUNKS, threshold });
    }
    await bank.loading();
    return bank.viewing(undefined, async (view) => {
      const due = await view.dueChunks({ ...chunker, most: embedder.batchTexts ?? MOST_TEXTS });
      const count = due.offsets.length - 1;
      if (count === 0 || !this.#isActive) return 0;
      const vectors = await this.#embed(embedder, view, due);
      if (!this.#isActive) return 0;
      const { dimensions } = embedder;
      const { incarnation } = view;
      await bank.native.appendChunks({ ...due, vectors, dimensions, threshold, incarnation });
      return count;
    });
  }

  /** A turn's pieces are recorded together, however many they are, but not embedded so. */
  async #embed(embedder: Embedder, view: NativeView, due: ChunkPieces): Promise<Float32Array> {
    const { tokenizer } = this.#host;
    const { signal } = this.#abort;
    const count = due.offsets.length - 1;
    const most = embedder.batchTexts ?? MOST_TEXTS;
    const vectors = new Float32Array(count * embedder.dimensions);
    for (let from = 0; from < count; from += most) {
      if (from > 0) await setImmediate();
      const texts = chunkTexts(view, someOf(due, from, from + most), tokenizer);
      const some = await embedTexts(embedder, texts, { kind: "document", signal });
      vectors.set(some, from * embedder.dimensions);
    }
    return vectors;
  }
}
