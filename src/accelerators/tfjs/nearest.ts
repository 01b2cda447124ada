import type { AcceleratorOptions } from "../accelerator.js";
import type { Block } from "./blocks.js";
import type { Runtime } from "./runtime.js";
import type { Tensor, TfCore } from "./tf-core.js";

/** Of each query the k best, in order. */
export interface Best {
  readonly k: number;
  readonly ids: Uint32Array;
  readonly scores: Float32Array;
}

/** Queries `[first, end)` of those that are asked. */
export interface QueryRange {
  readonly first: number;
  readonly end: number;
}

/** Cuts queries so that each with all rows of a block is a tile. */
export function queryRanges(
  runtime: Runtime,
  queryCount: number,
  block: Block,
  width: number,
  products: number = runtime.pace.products,
): QueryRange[] {
  const most = Math.min(runtime.pace.tile / width, products) / block.count;
  const step = Math.max(1, Math.floor(most));
  const ranges: QueryRange[] = [];
  for (let first = 0; first < queryCount; first += step) {
    ranges.push({ first, end: Math.min(first + step, queryCount) });
  }
  return ranges;
}

/**
 * Of each query the k rows with the highest scores; of equal ones those with the lower ids. Each tile's best are
 * found on the device (tfjs's own order is the same), and merged with what earlier tiles had.
 *
 * `scoresOf` gives a tile's scores: queries x rows of the block.
 */
export async function nearest(
  runtime: Runtime,
  {
    blocks,
    count,
    width,
    queryCount,
  }: { blocks: readonly Block[]; count: number; width: number; queryCount: number },
  k: number,
  scoresOf: (tf: TfCore, queries: QueryRange, tensors: readonly Tensor[]) => Tensor,
  options: AcceleratorOptions | undefined,
): Promise<Best> {
  const most = Math.min(k, count);
  const best: Best = {
    k: most,
    ids: new Uint32Array(queryCount * most),
    scores: new Float32Array(queryCount * most),
  };
  const found = new Uint32Array(queryCount);
  const scratch = { ids: new Uint32Array(most), scores: new Float32Array(most) };
  for (const block of blocks) {
    await block.with(async (tensors) => {
      for (const queries of queryRanges(runtime, queryCount, block, width)) {
        await runtime.breathe(options);
        const own = Math.min(most, block.count);
        const [scores, indices] = await runtime.read((tf) => {
          const top = tf.topk(scoresOf(tf, queries, tensors), own);
          return [top.values, top.indices];
        });
        for (let q = queries.first; q < queries.end; q++) {
          const at = (q - queries.first) * own;
          found[q] = merge(best, q, found[q]!, scratch, {
            first: block.first,
            scores: scores!.subarray(at, at + own),
            indices: indices!.subarray(at, at + own),
          });
        }
      }
    });
  }
  return best;
}

/** Merges a tile's best of query q, all with higher ids, into the `held` that it has; how many it then has. */
function merge(
  { k, ids, scores }: Best,
  q: number,
  held: number,
  scratch: { ids: Uint32Array; scores: Float32Array },
  tile: { first: number; scores: ArrayLike<number>; indices: ArrayLike<number> },
): number {
  const at = q * k;
  const total = Math.min(k, held + tile.scores.length);
  let old = 0;
  let added = 0;
  for (let rank = 0; rank < total; rank++) {
    const isOld =
      old < held && !(added < tile.scores.length && tile.scores[added]! > scores[at + old]!);
    scratch.ids[rank] = isOld ? ids[at + old]! : tile.first + tile.indices[added]!;
    scratch.scores[rank] = isOld ? scores[at + old]! : tile.scores[added]!;
    if (isOld) old++;
    else added++;
  }
  ids.set(scratch.ids.subarray(0, total), at);
  scores.set(scratch.scores.subarray(0, total), at);
  return total;
}
