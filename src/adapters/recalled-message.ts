import type { Bank } from "../bank.js";
import type { RecallOptions } from "../recall/options.js";
import { loadTokenizer } from "../text/tokenizer.js";

/** Tokens that a message with what was recalled has at most, unless given. */
const BUDGET = 1000;

/**
 * What a bank holds for a question, under a heading, as the text of one message; empty where there is nothing. The
 * budget is the whole message's, its heading's tokens too.
 */
export async function recalledMessage(
  bank: Pick<Bank, "recall">,
  question: string,
  heading: string,
  { budget = BUDGET, ...options }: RecallOptions,
): Promise<string> {
  const count = options.countTokens ?? ((text) => loadTokenizer().count(text));
  const left = budget - Math.ceil(count(`${heading}\n`));
  if (budget >= 0 && left <= 0) return "";
  const { text } = await bank.recall(question, { ...options, budget: left, marked: true });
  return text === "" ? "" : `${heading}\n${text}`;
}
