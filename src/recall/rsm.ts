import { chunkRanking } from "./chunk-ranking.js";
import type { RankContext, Ranking, Strategy } from "./strategy.js";

/**
 * The second paper's read path: the atoms nearest to the question, and of these the chunks, nearest
 * first. Packer `atoms` then groups them.
 */
export const rsm: Strategy = {
  name: "rsm",
  async rank(context) {
    const { chunks, retrieveK, retrieveBy, view, limit } = context;
    await chunks.ready();
    const found = await chunks.nearestAtoms(retrieveK, retrieveBy);
    return found === undefined ? latest(context) : chunkRanking(view, found, limit);
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
