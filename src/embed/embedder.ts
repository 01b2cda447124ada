import { expected, expectInteger, outOfRange } from "../internal/check.js";
import { untilAborted } from "../internal/until-aborted.js";

/** What is embedded: what a memory holds, or what it is asked. Some models want to know. */
export type EmbedKind = "document" | "query";

/** How texts are embedded. */
export interface EmbedOptions {
  readonly kind: EmbedKind;
  /** Fires when nobody waits for the vectors any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Turns texts into vectors: a model of the caller's. A memory's chunks are embedded by one embedder, as
 * long as it lives: its id, dimensions and pooling are kept with the store, and another one is
 * `DENTATE_MISMATCH`.
 *
 * ```ts
 * const embedder: Embedder = {
 *   id: "bge-small-en-v1.5",
 *   dimensions: 384,
 *   embed: (texts) => model.embed(texts),
 * };
 * ```
 */
export interface Embedder {
  /** Names the model and its version. */
  readonly id: string;
  /** Of the vectors: 1 to 4,096. */
  readonly dimensions: number;
  /** How a text's tokens become one vector, such as `mean` or `cls`; `mean` unless given. */
  readonly pooling?: string | undefined;
  /**
   * The cosine from which on two chunks are about the same: from -1 to 1. Unless given, it is found
   * in the first 64 chunks of each bank.
   */
  readonly threshold?: number | undefined;
  /** Texts that it is best given at a time: 1 to 4,096, 16 unless given. */
  readonly batchTexts?: number | undefined;
  /** One vector a text, of any length but zero; they are brought to unit length. */
  embed(
    texts: readonly string[],
    options: EmbedOptions,
  ): Promise<readonly Float32Array[]> | readonly Float32Array[];
}

/**
 * Embedders that a memory has itself.
 *
 * - `static`: a chunk's vector is the sum of its words', from the encoder's table: no model is run.
 * - `none`: nothing is embedded; there are no chunks and no atoms.
 */
export const EMBEDDERS = ["static", "none"] as const;
/** One of {@link EMBEDDERS}. */
export type EmbedderName = (typeof EMBEDDERS)[number];

const MOST_DIMENSIONS = 4096;
const LONGEST_NAME = 200;
const MOST_BATCH_TEXTS = 4096;

/** @throws TypeError, RangeError. */
export function checkEmbedder(argument: string, given: unknown): EmbedderName | Embedder {
  const name = EMBEDDERS.find((known) => known === given);
  if (name !== undefined) return name;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw expected(argument, `an embedder, or one of ${EMBEDDERS.join(", ")}`, given);
  }
  const embedder = given as { readonly [key in keyof Embedder]: unknown };
  const { id, dimensions, pooling = "mean", threshold, batchTexts } = embedder;
  for (const [key, value] of [
    ["id", id],
    ["pooling", pooling],
  ] as const) {
    if (typeof value !== "string") throw expected(`${argument}.${key}`, "a string", value);
    if (value.length === 0 || value.length > LONGEST_NAME || value.includes(":")) {
      throw outOfRange(
        `${argument}.${key}`,
        `1 to ${LONGEST_NAME} characters without a colon`,
        value,
      );
    }
  }
  if (typeof dimensions !== "number") {
    throw expected(`${argument}.dimensions`, "a number", dimensions);
  }
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MOST_DIMENSIONS) {
    throw outOfRange(
      `${argument}.dimensions`,
      `a whole number from 1 to ${MOST_DIMENSIONS}`,
      dimensions,
    );
  }
  if (typeof embedder.embed !== "function") {
    throw expected(`${argument}.embed`, "a function", embedder.embed);
  }
  if (threshold !== undefined) checkThreshold(`${argument}.threshold`, threshold);
  if (batchTexts !== undefined) {
    expectInteger(`${argument}.batchTexts`, batchTexts, 1, MOST_BATCH_TEXTS);
  }
  return given as Embedder;
}

/** @throws TypeError, RangeError. */
export function checkThreshold(argument: string, given: unknown): number {
  if (typeof given !== "number") throw expected(argument, "a number", given);
  if (!(given >= -1 && given <= 1)) throw outOfRange(argument, "a cosine from -1 to 1", given);
  return given;
}

/**
 * The vectors of the texts, one after the other. Nobody waits longer for them than the signal says,
 * whether the embedder heeds it or not.
 *
 * @throws TypeError, RangeError: what the embedder gave is not that. What it throws is passed on.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Float32Array> {
  const given: unknown = await untilAborted(embedder.embed(texts, options), options.signal);
  if (!Array.isArray(given)) throw expected("embedder.embed()", "an array of vectors", given);
  if (given.length !== texts.length) {
    throw outOfRange("embedder.embed().length", `${texts.length} vectors`, given.length);
  }
  const vectors = new Float32Array(texts.length * embedder.dimensions);
  for (const [i, vector] of given.entries()) {
    const name = `embedder.embed()[${i}]`;
    if (!(vector instanceof Float32Array)) throw expected(name, "a Float32Array", vector);
    if (vector.length !== embedder.dimensions) {
      throw outOfRange(`${name}.length`, `${embedder.dimensions} dimensions`, vector.length);
    }
    if (!vector.every(Number.isFinite)) throw outOfRange(name, "finite numbers", "one that is not");
    vectors.set(vector, i * embedder.dimensions);
  }
  return vectors;
}
