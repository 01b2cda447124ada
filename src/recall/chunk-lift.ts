import { setTimeout as sleep } from "node:timers/promises";
import { isDentateError } from "../errors.js";
import type { ChunkResult } from "../native/chunk-binding.js";
import type { Boosts, SearchResult } from "../native/search-binding.js";
import type { Place } from "./places.js";
import type { RankContext } from "./strategy.js";

/**
 * What `hybrid` makes of a model of the caller's: each entry of a chunk is lifted by how much nearer the
 * chunk is to the question than chunks are on average, by the model's cosine.
 *
 *   lift(e) = w · (cos(question, chunk of e) − mean cos), where that is above 0; in shares of the best score by words
 *
 * It is words that say which of a chunk's turns it was, and a model that knows other words for the same. LoCoMo,
 * all-MiniLM-L6-v2, chunks of 5: docs/embedders.md has what it gives.
 *
 * Nobody is held up for it: chunks that have no vector yet are not lifted, and where the model fails, or does not
 * answer in time, the question is answered without it.
 */
const LIFT_WEIGHT = 1;
/** The nearest so many chunks. What is lifted costs the search a little; nobody reads so far. */
const MOST_CHUNKS = 1024;
const LONGEST_WAIT_MS = 5000;

export interface ChunkLift {
  readonly boosts: Boosts;
  weightOf(entry: number): number;
}

/** Undefined: the memory has no model, or it gives nothing for this question. */
export async function chunkLift(context: RankContext): Promise<ChunkLift | undefined> {
  const { chunks, cancel } = context;
  if (!chunks.hasModel) return undefined;
  const waited = new AbortController();
  try {
    const found = await Promise.race([
      chunks.searchRecorded(MOST_CHUNKS),
      sleep(LONGEST_WAIT_MS, undefined, { signal: waited.signal, ref: false }).catch(
        () => undefined,
      ),
    ]);
    return found === undefined ? undefined : liftOf(found);
  } catch (error) {
    if (cancel?.[0] === 1 || isDentateError(error, "DENTATE_CLOSED")) throw error;
    warn(error);
    return undefined;
  } finally {
    waited.abort();
  }
}

function liftOf({ scores, offsets, entries }: ChunkResult): ChunkLift {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const weights = new Map<number, number>();
  // Best first: a long turn that is cut into several chunks counts with the nearest of them.
  for (let i = 0; i < scores.length && scores[i]! > mean; i++) {
    const weight = LIFT_WEIGHT * (scores[i]! - mean);
    for (const entry of entries.subarray(offsets[i]!, offsets[i + 1]!)) {
      if (!weights.has(entry)) weights.set(entry, weight);
    }
  }
  const ranges: number[] = [];
  const values: number[] = [];
  for (const [entry, weight] of [...weights].sort(([a], [b]) => a - b)) {
    if (ranges.at(-1) === entry && values.at(-1) === weight) ranges[ranges.length - 1] = entry + 1;
    else {
      ranges.push(entry, entry + 1);
      values.push(weight);
    }
  }
  return {
    boosts: { ranges: Uint32Array.from(ranges), weights: Float32Array.from(values) },
    weightOf: (entry) => weights.get(entry) ?? 0,
  };
}

/** What the search gave for places and lift together, parted: the lift is meaning, and goes with it. */
export function withoutLift(
  found: SearchResult,
  lift: ChunkLift,
  places: readonly Place[],
): SearchResult {
  const placeScores = found.placeScores.slice();
  const denseScores = found.denseScores.slice();
  for (const [rank, entry] of found.entries.entries()) {
    const lifted = lift.weightOf(entry);
    if (lifted === 0) continue;
    let placed = 0;
    for (const { from, to, weight } of places) if (from <= entry && entry < to) placed += weight;
    const share = (placeScores[rank]! * lifted) / (lifted + placed);
    denseScores[rank]! += share;
    placeScores[rank]! -= share;
  }
  return { ...found, placeScores, denseScores };
}

let hasWarned = false;

/** Once: who wants every failure asks with strategy `rsm`, which rejects. */
function warn(error: unknown): void {
  if (hasWarned) return;
  hasWarned = true;
  const message = error instanceof Error ? error.message : String(error);
  process.emitWarning(`recall goes on without the embedder, which failed: ${message}`);
}
