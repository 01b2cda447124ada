import { inSearchSlot } from "../internal/search-slots.js";
import type { Strategy } from "./strategy.js";

/**
 * The paper's Algorithm 3, for comparison: entries that hold, for every word of the question, a code
 * in its ball. Best with few words (the paper has a model choose them: option `keywords`) and with
 * the paper's encoder, `random-indexing`. The paper gives no radius; here it is a sixteenth of the
 * bits unless the caller gives one, and an equal stem counts for nothing.
 */
export const hippocampusPaper: Strategy = {
  name: "hippocampus-paper",
  async rank({ query, native, limit, signatureBits, radius: given, cancel }) {
    const radius = given ?? Math.floor(signatureBits / 16);
    const { signatures } = query;
    const found = await inSearchSlot(() => native.searchAll({ signatures, radius, limit }, cancel));
    return { ...found, radius };
  },
};
