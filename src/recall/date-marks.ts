import type { Moments } from "../internal/moments.js";
import type { EncodedText } from "../signatures/encoder.js";
import type { NamedDate } from "../text/dates.js";

/**
 * The entries of the dates that a question names: triples of a query's code and the entries from one
 * ordinal up to another. Such an entry counts as one that holds the word: nobody says the date.
 *
 * Cost: a look at every entry's day for each date word, a few nanoseconds an entry.
 */
export function dateMarks(
  dates: readonly NamedDate[],
  { wordOf }: EncodedText,
  moments: Moments,
  entryCount: number,
): Uint32Array {
  const marks: number[] = [];
  for (const date of dates) {
    const code = wordOf.indexOf(date.word);
    if (code < 0) continue;
    for (const [from, to] of moments.runs(entryCount, (at) => date.matches(at))) {
      marks.push(code, from, to);
    }
  }
  return Uint32Array.from(marks);
}
