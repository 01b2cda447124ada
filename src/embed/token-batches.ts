/** What a batch may be. */
export interface BatchLimits {
  /** Tokens of a batch, padding counted: what bounds the memory of a run. A longer text is a batch of its own. */
  readonly tokens: number;
  readonly texts: number;
  /** The most of a batch's tokens that may be padding: a model works as long on these as on others. */
  readonly padding: number;
}

/**
 * Texts of `lengths` tokens, grouped by length: each batch the indexes of its texts. All of a batch are
 * padded to its longest, so that those of one length go together; the longest batch comes first, so
 * that threads that share the batches end at about the same time.
 *
 *   lengths   9 8 8 3 3 2      8 tokens a batch: [9] [8] [8] [3 3] [2]
 */
export function tokenBatches(lengths: ArrayLike<number>, limits: BatchLimits): number[][] {
  const order = Array.from({ length: lengths.length }, (_, i) => i);
  order.sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const batches: number[][] = [];
  let batch: number[] = [];
  let width = 0;
  let real = 0;
  for (const index of order) {
    const length = lengths[index]!;
    const padded = width * (batch.length + 1);
    const fits =
      batch.length > 0 &&
      batch.length < limits.texts &&
      padded <= limits.tokens &&
      padded - (real + length) <= limits.padding * padded;
    if (!fits) {
      batch = [];
      batches.push(batch);
      width = length;
      real = 0;
    }
    batch.push(index);
    real += length;
  }
  return batches;
}
