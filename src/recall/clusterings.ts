import { type AllChunks, saysNothing } from "../atoms/chunk-access.js";
import { AtomIndex, type AtomPolicy } from "../structures/atom-index.js";
import { chunkRanking, pickChunks, type RankedChunks } from "./chunk-ranking.js";
import { latest } from "./rsm.js";
import type { Strategy } from "./strategy.js";

/**
 * The clusterings that the second paper compares its own with, on the same chunks: centroid-gated
 * prototypes, sequential k-means with as many clusters as the bank has atoms, and DP-means. They are
 * for measuring: the clusters are made anew for each recall, by their policy in `AtomIndex`, with the
 * bank's own threshold. The nearest clusters are found by their centroid, and fill the budget first.
 */
export const streamingProto = clustering("streaming-proto");
export const onlineKMeans = clustering("online-k-means");
export const dpMeans = clustering("dp-means");

/** For a chunk or two, which say nothing of a threshold. */
const ANY_THRESHOLD = 0.7;
/** As the bank's own is found (native/bank/chunk_index.h). */
const LARGEST_SHARE = 0.15;

function clustering(policy: Exclude<AtomPolicy, "max-member">): Strategy {
  return {
    name: policy,
    async rank(context) {
      const { chunks, view, limit, retrieveK } = context;
      await chunks.ready();
      const all = await chunks.all();
      if (all === undefined || saysNothing(all.question) || all.chunks.length === 0) {
        return latest(context);
      }
      const { threshold } = await view.countChunks();
      return chunkRanking(view, nearestOf(policy, all, threshold, retrieveK), limit);
    },
  };
}

function nearestOf(
  policy: AtomPolicy,
  all: AllChunks,
  own: number | undefined,
  clusters: number,
): RankedChunks {
  const { dimensions, question } = all;
  const vectors = Array.from(all.chunks, (_, i) =>
    all.vectors.subarray(i * dimensions, (i + 1) * dimensions),
  );
  const index = new AtomIndex({
    dimensions,
    policy,
    threshold: own ?? thresholdOf(vectors),
    clusters: new Set(all.atoms).size,
  });
  const clusterOf = vectors.map((vector) => index.add(vector).atom);
  const nearest = new Set(index.nearest(question, { atoms: clusters, by: "centroid" }).atoms);
  const length = Math.hypot(...question);
  const scores = vectors.map(
    (vector) => vector.reduce((sum, value, k) => sum + value * question[k]!, 0) / length,
  );
  // The other clusters' chunks come after them, as those of other atoms do in `rsm`.
  const isOther = clusterOf.map((cluster) => (nearest.has(cluster) ? 0 : 1));
  const found = [...scores.keys()].sort(
    (a, b) => isOther[a]! - isOther[b]! || scores[b]! - scores[a]! || a - b,
  );
  return pickChunks({ ...all, scores, atoms: Uint32Array.from(clusterOf) }, found);
}

function thresholdOf(vectors: readonly Float32Array[]): number {
  if (vectors.length < 2) return ANY_THRESHOLD;
  return AtomIndex.calibrate(vectors, { percentile: 0.7, largest: LARGEST_SHARE });
}
