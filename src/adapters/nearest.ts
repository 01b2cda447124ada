import type { Bank } from "../bank.js";
import type { RecallOptions } from "../recall/options.js";
import type { RecallItem } from "../types.js";

/** Tokens for an item that is looked for: most entries are shorter. */
const TOKENS_AN_ITEM = 400;
const MOST_TOKENS = 4_000_000;
const GROWTH = 4;

/**
 * The k entries that answer a question best, for those who want a list and no text. A recall packs
 * what fits a budget, so the budget grows until there are enough, or no more.
 */
export async function nearest(
  bank: Pick<Bank, "recall">,
  question: string,
  k: number,
  options: Omit<RecallOptions, "budget"> = {},
): Promise<readonly RecallItem[]> {
  for (let budget = k * TOKENS_AN_ITEM; ; budget *= GROWTH) {
    const { items, tokens, skipped } = await bank.recall(question, { ...options, budget });
    const hasRoom = skipped.length === 0 && tokens < budget / 2;
    if (items.length >= k || hasRoom || budget >= MOST_TOKENS) return items.slice(0, k);
  }
}
