/**
 * How the vectors of a text's tokens become one.
 *
 * - `mean`: their mean (MiniLM, e5, gte);
 * - `cls`: the first token's (BGE);
 * - `last`: the last token's (models made from generative ones).
 */
export const POOLINGS = ["mean", "cls", "last"] as const;
/** One of {@link POOLINGS}. */
export type Pooling = (typeof POOLINGS)[number];

/** What a model gave for a batch: rows × width × dimensions, the rows padded on the right to `width`. */
export interface TokenVectors {
  readonly values: Float32Array;
  readonly width: number;
  readonly dimensions: number;
  /** Tokens of each row, at least 1. */
  readonly lengths: ArrayLike<number>;
}

/** A vector a row, one after the other. Padding counts for nothing. */
export function pool(
  { values, width, dimensions, lengths }: TokenVectors,
  pooling: Pooling,
): Float32Array {
  const pooled = new Float32Array(lengths.length * dimensions);
  for (let row = 0; row < lengths.length; row++) {
    const start = row * width * dimensions;
    const vector = pooled.subarray(row * dimensions, (row + 1) * dimensions);
    if (pooling !== "mean") {
      const token = pooling === "cls" ? 0 : lengths[row]! - 1;
      vector.set(values.subarray(start + token * dimensions, start + (token + 1) * dimensions));
      continue;
    }
    for (let token = 0; token < lengths[row]!; token++) {
      const at = start + token * dimensions;
      for (let i = 0; i < dimensions; i++) vector[i]! += values[at + i]!;
    }
    for (let i = 0; i < dimensions; i++) vector[i]! /= lengths[row]!;
  }
  return pooled;
}

/** Brings each row to unit length, where it is; rows of zeros stay. */
export function normalizeRows(rows: Float32Array, dimensions: number): void {
  for (let start = 0; start < rows.length; start += dimensions) {
    let sum = 0;
    for (let i = start; i < start + dimensions; i++) sum += rows[i]! * rows[i]!;
    const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum);
    for (let i = start; i < start + dimensions; i++) rows[i]! *= scale;
  }
}
