import { checkKeywords, type RecallOptions } from "../options.js";

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

/** Settles as `pending` does, or rejects as soon as the signal fires: a model may take minutes. */
function untilAborted<T>(pending: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(pending);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    Promise.resolve(pending)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}
