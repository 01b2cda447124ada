import { createHash } from "node:crypto";
import { expected, expectInteger, expectName, expectOptions } from "../../internal/check.js";
import { LruMap } from "../../internal/lru-map.js";
import { aborted } from "../aborted.js";
import { checkEmbedder, type Embedder, type EmbedOptions, embedTexts } from "../embedder.js";
import { VectorFiles } from "./vector-files.js";

/** How many texts a cached embedder has been given since it was made. */
export interface CacheCounts {
  readonly texts: number;
  /** Of them: those whose vector was there, and those that were embedded. */
  readonly cached: number;
  readonly embedded: number;
}

/** How {@link cachedEmbedder} keeps vectors. */
export interface CacheOptions {
  /**
   * Also keep those of documents here, for later runs and other processes; questions stay in memory. Give each store whose deletes have to be final
   * one of its own and remove it after a purge: a vector tells something of its text.
   */
  readonly directory?: string | undefined;
  /** Vectors that are kept in memory: 0 to 16,777,216; 10,000 unless given. */
  readonly maxEntries?: number | undefined;
  /** Told after each step of up to 256 texts; and after each call. */
  readonly onProgress?: ((counts: CacheCounts) => void) | undefined;
}

/** An embedder that remembers. */
export interface CachedEmbedder extends Embedder {
  /** What it has done so far. */
  readonly counts: CacheCounts;
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
}

const KEYS = ["directory", "maxEntries", "onProgress"] as const satisfies (keyof CacheOptions)[];
const DEFAULT_ENTRIES = 10_000;
const MOST_ENTRIES = 1 << 24;
/** Texts that are embedded before their vectors are kept: what an interruption loses is one such step. */
const STEP_TEXTS = 256;
/** Of a key: 160 bits are enough that no two texts share one. */
const KEY_DIGITS = 40;

/**
 * The same embedder, but what it has embedded once is looked up: by a hash of the text, its kind and
 * the embedder. With a directory, a `reindex` or an import that was interrupted goes on where it was, and a
 * store is moved to other settings without running the model again.
 *
 * ```ts
 * const embedder = cachedEmbedder(model, { directory: "./vectors" });
 * ```
 *
 * @throws TypeError, RangeError.
 */
export function cachedEmbedder(embedder: Embedder, options: CacheOptions = {}): CachedEmbedder {
  const given = checkEmbedder("embedder", embedder);
  if (typeof given === "string") throw expected("embedder", "an embedder with a model", given);
  return new Cached(given, checkOptions(options));
}

interface Resolved {
  readonly directory: string | undefined;
  readonly maxEntries: number;
  readonly onProgress: ((counts: CacheCounts) => void) | undefined;
}

class Cached implements CachedEmbedder {
  readonly id: string;
  readonly dimensions: number;
  readonly pooling: string | undefined;
  readonly threshold: number | undefined;
  readonly batchTexts: number | undefined;
  readonly #embedder: Embedder;
  readonly #memory: LruMap<string, Float32Array>;
  readonly #files: VectorFiles | undefined;
  readonly #onProgress: Resolved["onProgress"];
  #cached = 0;
  #embedded = 0;
  #hasWarned = false;

  constructor(embedder: Embedder, { directory, maxEntries, onProgress }: Resolved) {
    this.id = embedder.id;
    this.dimensions = embedder.dimensions;
    this.pooling = embedder.pooling;
    this.threshold = embedder.threshold;
    this.batchTexts = embedder.batchTexts;
    this.#embedder = embedder;
    this.#memory = new LruMap(maxEntries);
    this.#files = directory === undefined ? undefined : new VectorFiles(directory, this.dimensions);
    this.#onProgress = onProgress;
  }

  get counts(): CacheCounts {
    const [cached, embedded] = [this.#cached, this.#embedded];
    return { texts: cached + embedded, cached, embedded };
  }

  async embed(
    texts: readonly string[],
    options: EmbedOptions = { kind: "document" },
  ): Promise<Float32Array[]> {
    const keys = texts.map((text) => this.#keyOf(text, options));
    const files = options.kind === "document" ? this.#files : undefined;
    const found = await this.#lookUp(new Set(keys), files);
    const missing = new Map<string, string>();
    for (const [i, key] of keys.entries()) if (!found.has(key)) missing.set(key, texts[i]!);
    this.#cached += keys.filter((key) => found.has(key)).length;
    const wanted = [...missing];
    for (let from = 0; from < wanted.length; from += STEP_TEXTS) {
      const step = wanted.slice(from, from + STEP_TEXTS);
      const vectors = await this.#embed(step, options, files);
      for (const [i, [key]] of step.entries()) found.set(key, vectors[i]!);
      // Equal texts of one call are embedded once, and counted as often as they were given.
      const done = new Set(step.map(([key]) => key));
      this.#embedded += keys.filter((key) => done.has(key)).length;
      if (from + STEP_TEXTS < wanted.length) this.#onProgress?.(this.counts);
    }
    this.#onProgress?.(this.counts);
    // Copies: the caller may do with them what it likes.
    return keys.map((key) => found.get(key)!.slice());
  }

  async #lookUp(
    keys: ReadonlySet<string>,
    files: VectorFiles | undefined,
  ): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    const elsewhere: string[] = [];
    for (const key of keys) {
      const vector = this.#memory.get(key);
      if (vector === undefined) elsewhere.push(key);
      else found.set(key, vector);
    }
    if (files === undefined) return found;
    for (let from = 0; from < elsewhere.length; from += STEP_TEXTS) {
      const step = elsewhere.slice(from, from + STEP_TEXTS);
      const vectors = await Promise.all(step.map((key) => files.read(key)));
      for (const [i, vector] of vectors.entries()) {
        if (vector === undefined) continue;
        found.set(step[i]!, vector);
        this.#memory.set(step[i]!, vector);
      }
    }
    return found;
  }

  async #embed(
    missing: readonly (readonly [key: string, text: string])[],
    options: EmbedOptions,
    files: VectorFiles | undefined,
  ): Promise<Float32Array[]> {
    const { dimensions } = this;
    const texts = missing.map(([, text]) => text);
    const rows = await embedTexts(this.#embedder, texts, options).catch((error: unknown) => {
      throw options.signal?.aborted ? aborted(options.signal) : error;
    });
    const vectors = texts.map((_, i) => rows.slice(i * dimensions, (i + 1) * dimensions));
    for (const [i, [key]] of missing.entries()) this.#memory.set(key, vectors[i]!);
    if (files !== undefined) {
      await Promise.all(missing.map(([key], i) => files.write(key, vectors[i]!))).catch((error) =>
        this.#warn(error),
      );
    }
    return vectors;
  }

  /** What can't be kept is no reason not to answer. */
  #warn({ message, cause }: Error): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    process.emitWarning(`${message}: ${(cause as Error).message}`, { code: "DENTATE_IO" });
  }

  #keyOf(text: string, { kind }: EmbedOptions): string {
    const of = JSON.stringify([this.id, this.dimensions, this.pooling ?? "mean", kind, text]);
    return createHash("sha256").update(of).digest("hex").slice(0, KEY_DIGITS);
  }
}

function checkOptions(given: CacheOptions): Resolved {
  const options = expectOptions("options", given, KEYS) as { [key in keyof CacheOptions]: unknown };
  const { directory, maxEntries = DEFAULT_ENTRIES, onProgress } = options;
  if (onProgress !== undefined && typeof onProgress !== "function") {
    throw expected("options.onProgress", "a function", onProgress);
  }
  return {
    directory:
      directory === undefined ? undefined : expectName("options.directory", directory, 4096),
    maxEntries: expectInteger("options.maxEntries", maxEntries, 0, MOST_ENTRIES),
    onProgress: onProgress as Resolved["onProgress"],
  };
}
