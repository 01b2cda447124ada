/**
 * English words that carry no content. They are never indexed and never searched for.
 *
 * Kept short on purpose: a word that is merely common is weighed down by its frequency, and
 * leaving it out would only lose the questions that turn on it.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be but by did do does for from had has have he her his how i if in into " +
    "is it its me my no not of on or our she so than that the their them then there these they " +
    "this those to was we were what when where which who whom why will with would you your"
  ).split(" "),
);
