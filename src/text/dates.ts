import type { Word } from "./words.js";

/**
 * Dates that a question names: years, English names of months and days beside them ("in August
 * 2023", "on the 25th of May"), and ISO dates of any language ("2023-05-25").
 *
 * What was said then is what the question is about, though the words of the date are seldom in it:
 * so each of these words is matched by all entries of that year, month or day, as a speaker's name
 * is by all that she said.
 */
export interface NamedDate {
  /** Which of the question's words it is. */
  readonly word: number;
  /** Whether a moment (Unix milliseconds) lies in that year, month or day, in UTC. */
  matches(at: number): boolean;
}

const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );
const YEAR = /^(?:19|20)\d\d$/;
const DAY = /^(?:[1-9]|[12]\d|3[01])$/;
const ISO_DATE = /(?<![\d-])(\d{4})-(\d\d)(?:-(\d\d))?(?![\d-])/g;
/** Words that may stand between a day and its month. */
const BETWEEN = new Set(["of", "the"]);

export function datesNamed(question: string, asked: readonly Word[]): NamedDate[] {
  const named = isoDates(question, asked);
  const taken = new Set(named.map(({ word }) => word));
  for (const [index, word] of asked.entries()) {
    if (taken.has(index)) continue;
    if (YEAR.test(word.text)) {
      named.push(yearAt(index, Number(word.text)));
      continue;
    }
    const month = monthOf(question, asked, index);
    if (month === undefined) continue;
    named.push(monthAt(index, month));
    const day = neighbour(asked, index, (other) => DAY.test(other.stem));
    if (day !== undefined) named.push(dayAt(day, month, Number(asked[day]!.stem)));
  }
  return named;
}

/**
 * 0 to 11. The short names, "may" and "march" are also other words: they need a number beside them,
 * or, these two, a capital letter inside a sentence.
 */
function monthOf(question: string, asked: readonly Word[], index: number): number | undefined {
  const { text, start } = asked[index]!;
  const isShort = text.length === 3 || text === "sept";
  const month = MONTHS.findIndex((name) => name === text || (isShort && name.startsWith(text)));
  if (month < 0) return undefined;
  if (MONTHS[month] === text && text !== "may" && text !== "march") return month;
  const hasNumber =
    neighbour(asked, index, (other) => DAY.test(other.stem) || YEAR.test(other.text)) !== undefined;
  const isCapital =
    /^M[a-z]/.test(question.slice(start)) &&
    /[a-z,] $/.test(question.slice(Math.max(0, start - 2), start));
  return hasNumber || (MONTHS[month] === text && isCapital) ? month : undefined;
}

/** The word beside `index`, or one small word further, that `is`; the one before it first. */
function neighbour(
  asked: readonly Word[],
  index: number,
  is: (word: Word) => boolean,
): number | undefined {
  for (const step of [-1, 1]) {
    let at = index + step;
    while (asked[at] !== undefined && BETWEEN.has(asked[at]!.text)) at += step;
    if (asked[at] !== undefined && is(asked[at]!)) return at;
  }
  return undefined;
}

function isoDates(question: string, asked: readonly Word[]): NamedDate[] {
  const named: NamedDate[] = [];
  for (const match of question.matchAll(ISO_DATE)) {
    const month = Number(match[2]) - 1;
    const first = asked.findIndex(({ start }) => start === match.index);
    // The parts are words of their own: "2023", "05", "25".
    if (month < 0 || month > 11 || first < 0) continue;
    named.push(yearAt(first, Number(match[1])), monthAt(first + 1, month));
    if (match[3] !== undefined) named.push(dayAt(first + 2, month, Number(match[3])));
  }
  return named;
}

function yearAt(word: number, year: number): NamedDate {
  return { word, matches: (at) => new Date(at).getUTCFullYear() === year };
}

function monthAt(word: number, month: number): NamedDate {
  return { word, matches: (at) => new Date(at).getUTCMonth() === month };
}

function dayAt(word: number, month: number, day: number): NamedDate {
  return {
    word,
    matches: (at) => {
      const date = new Date(at);
      return date.getUTCDate() === day && date.getUTCMonth() === month;
    },
  };
}
