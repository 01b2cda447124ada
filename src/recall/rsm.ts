import type { AtomResult } from "../native/chunk-binding.js";
import { chunkRanking, pickChunks, type RankedChunks } from "./chunk-ranking.js";
import type { RankContext, Ranking, Strategy } from "./strategy.js";

/**
 * The second paper's read path: the `retrieveK` atoms nearest to the question, their chunks by their own
 * cosine, and packer `atoms` to group them. Where these leave room in the budget, the other atoms' chunks
 * come after them: a small bank would else be recalled in part.
 */
export const rsm: Strategy = {
  name: "rsm",
  async rank(context) {
    const { chunks, retrieveK, retrieveBy, view, limit } = context;
    await chunks.ready();
    const found = await chunks.nearestAtoms(retrieveK, retrieveBy, limit);
    return found === undefined
      ? latest(context)
      : chunkRanking(view, nearestFirst(found, retrieveK, limit), limit);
  },
};

/** All chunks by their own cosine, whatever atom they are in. */
export const budgetRag: Strategy = {
  name: "budget-rag",
  async rank(context) {
    const { chunks, view, limit } = context;
    await chunks.ready();
    const found = await chunks.search(limit);
    return found === undefined ? latest(context) : chunkRanking(view, found, limit);
  },
};

/** What a question is answered with that says nothing to search for. */
export function latest({ view, limit, mask }: RankContext): Ranking {
  const entries = view.latest(limit, mask);
  return { entries, scores: new Float32Array(entries.length) };
}

/** The chunks of the first atoms, then those of the others, each by score: with `limit` entries or more. */
function nearestFirst(found: AtomResult, atoms: number, limit: number): RankedChunks {
  const { nearestOffsets, offsets, scores, chunks } = found;
  const first = nearestOffsets[Math.min(atoms, nearestOffsets.length - 1)]!;
  const byScore = (a: number, b: number) => scores[b]! - scores[a]! || chunks[a]! - chunks[b]!;
  const all = [...scores.keys()];
  const picked = all.slice(0, first).sort(byScore);
  // Most of a large bank is neither sorted nor copied. A chunk has one entry at least.
  const others = offsets[first]! < limit ? all.slice(first).sort(byScore) : [];
  return pickChunks(found, picked.concat(others).slice(0, limit));
}
