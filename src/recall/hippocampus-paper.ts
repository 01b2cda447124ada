import { inSearchSlot } from "../internal/search-slots.js";
import type { Strategy } from "./strategy.js";

/** The share of all bits that may differ by chance, over those that the context makes differ. */
const SLACK = 0.035;

/**
 * The paper's Algorithm 3, for comparison: entries that hold, for every word of the question, a code
 * in its ball. Best with few words (the paper has a model choose them: option `keywords`) and with
 * the paper's encoder, `random-indexing`. An equal stem counts for nothing here: only bits do.
 *
 * The paper gives no radius. Here it follows its Appendix G, r = (theta / pi + epsilon) * d, where
 * theta is the angle between a word's vector in its context and alone: one of 2w + 1 index vectors
 * in their sum, nearly orthogonal to each other, so that cos theta = 1 / sqrt(2w + 1).
 */
export const hippocampusPaper: Strategy = {
  name: "hippocampus-paper",
  async rank({ query, view, mask, limit, signatureBits, window, radius: given, balls, cancel }) {
    const angle = Math.acos(1 / Math.sqrt(2 * window + 1));
    const radius = given ?? Math.round((angle / Math.PI + SLACK) * signatureBits);
    const { signatures } = query;
    const known = await balls(signatures, radius);
    const { entries, scores, signatureScores } = await inSearchSlot(() =>
      view.searchAll({ signatures, radius, known, limit, mask }, cancel),
    );
    return { entries, scores, signatureScores, radius };
  },
};
