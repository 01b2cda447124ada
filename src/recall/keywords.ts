import { untilAborted } from "../internal/until-aborted.js";
import { checkKeywords, type RecallOptions } from "./options.js";

/**
 * The text to search for: the question, or the caller's keywords in its place, one a line so that no
 * word is made of two of them.
 */
export async function searchText(
  question: string,
  keywords: RecallOptions["keywords"],
  signal: AbortSignal | undefined,
): Promise<string> {
  if (keywords === undefined) return question;
  if (typeof keywords !== "function") return keywords.join("\n");
  const found = await untilAborted(keywords(question), signal);
  return checkKeywords("options.keywords", found).join("\n");
}
