import type { NativeView } from "../native/store-binding.js";
import type { EncodedText } from "../signatures/encoder.js";
import type { NamedDate } from "../text/dates.js";

const MS_OF_DAY = 86_400_000;

/**
 * The entries of the dates that a question names: triples of a query's code and the entries from one
 * number up to another. Such an entry counts as one that holds the word: nobody says the date.
 *
 * Cost: where dates are named, a native pass over the bank's times, and a look at every run of
 * entries of one day (UTC).
 */
export function dateMarks(
  dates: readonly NamedDate[],
  { wordOf }: EncodedText,
  view: NativeView,
): Uint32Array {
  const marks: number[] = [];
  const named = dates.filter(({ word }) => wordOf.includes(word));
  if (named.length === 0) return new Uint32Array(0);
  const runs = view.dayRuns();
  for (const date of named) {
    const code = wordOf.indexOf(date.word);
    for (let i = 0; i < runs.length; i += 3) {
      const [day, from, to] = [runs[i]!, runs[i + 1]!, runs[i + 2]!];
      if (!date.matches(day * MS_OF_DAY)) continue;
      // Runs of days that follow each other and match are one mark.
      if (marks.at(-1) === from && marks.at(-3) === code) marks[marks.length - 1] = to;
      else marks.push(code, from, to);
    }
  }
  return Uint32Array.from(marks);
}
