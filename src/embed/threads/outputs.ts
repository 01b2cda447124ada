import { normalizeRows, type Pooling, pool } from "../pooling.js";
import type { PaddedBatch } from "./serve-model.js";

/** A model's output that has been pooled by the model itself, if it has such a one. */
const POOLED = "sentence_embedding";
const TOKENWISE = ["last_hidden_state", "token_embeddings"];

/** Which of a model's outputs counts. */
export function outputOf(names: readonly string[]): string {
  return [POOLED, ...TOKENWISE].find((name) => names.includes(name)) ?? names[0]!;
}

/**
 * From what a model gave, a vector a token or one a text, to one a text, in an array of its own.
 *
 * @throws Error: it is neither.
 */
export function vectorsOf(
  output: string,
  data: unknown,
  shape: readonly number[],
  { rows, width, lengths }: PaddedBatch,
  { pooling, normalize }: { readonly pooling: Pooling; readonly normalize: boolean },
): Float32Array {
  const dimensions = shape.at(-1)!;
  const isPooled = shape.length === 2;
  const count = isPooled ? rows : rows * width;
  if (!(data instanceof Float32Array) || data.length !== count * dimensions) {
    throw new Error(`the model's output '${output}' is no vector a text or token`);
  }
  const vectors = isPooled
    ? data.slice()
    : pool({ values: data, width, dimensions, lengths }, pooling);
  if (normalize) normalizeRows(vectors, dimensions);
  return vectors;
}
