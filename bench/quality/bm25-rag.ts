import MiniSearch from "minisearch";
import { stems } from "./bm25.js";
import { referenceLine } from "./bm25-reference.js";
import { packedRanker } from "./packed-ranker.js";
import type { Strategy } from "./strategy.js";

/**
 * The usual lexical retrieval: BM25+ by minisearch over stemmed words without stop words. What no
 * word of the question matches comes last, in the order of time, so that the budget is filled.
 */
export function bm25Rag(): Strategy {
  return packedRanker("bm25-rag", ({ turns }) => {
    const index = new MiniSearch<{ id: number; text: string }>({
      fields: ["text"],
      tokenize: stems,
      processTerm: (term) => term,
    });
    const addMs = turns.map((turn, id) => {
      const start = performance.now();
      index.add({ id, text: referenceLine(turn) });
      return performance.now() - start;
    });
    return {
      addMs,
      rank(question) {
        const found = new Set(index.search(question).map(({ id }) => id as number));
        return [...found, ...[...turns.keys()].filter((position) => !found.has(position))];
      },
    };
  });
}
