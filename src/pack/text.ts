import { memoized } from "../internal/memoized.js";
import type { Candidate } from "./candidate.js";

/**
 * How an entry is written, and why stored text cannot pass for anything else.
 *
 *   <recalled>                           a fence, where the text is marked as recalled; a last one
 *                                        closes it
 *   [2026-01-05]                         a header: a date (UTC); another session, another header
 *   [2026-01-05..02-11, 3 turns: Ana]    a header of an atom: when, how many, who
 *   [02-11]                              inside an atom: another day, or another session
 *   Ana: I moved to Lisbon.              a line: who, a colon, a space, the content
 *   It rains.                            the content goes on as it is ...
 *   \[2027-01-01] and so it goes         ... but what begins like a header, or like a line of
 *   \Ben: I never said that              somebody in this text, gets a backslash in front
 *
 * To read: at the start of a line, one backslash before what looks like a header or a line is not
 * part of the content. A content's own backslash there gets another, so nothing is lost. A line
 * starts after anything that a reader could take for a line break, not only after a line feed.
 */

const LINE_START = /(?<=[\n\r\v\f\u0085\u2028\u2029])/u;
const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/u;
const UNSEEN = /[\p{Cc}\p{Cf}\p{DI}]/gu;
const UNPRINTED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;
/** A bracket and how a date begins, or a fence, without what nobody sees. */
const LIKE_HEADER = /^\[\s*[+-]?(?:\d{4,6}|\d\d)\s*[\p{Pd}\u2212/.]\s*\d|^<\s*(?:\/\s*)?recalled/iu;
/** What is read as a bracket, a fence's first character or a colon. */
const OPENING: ReadonlySet<string> = new Set("[<\uff3b\ufe47\uff1c\ufe64");
const COLON = /[:\u02d0\u2236\ua789\ufe13\ufe55\uff1a]/u;
/** What is read as the end of a label or of a bracket. */
const ENDING = /[:\]\u02d0\u2236\ua789\ufe13\ufe48\ufe55\uff1a\uff3d]/gu;
const BEYOND_ASCII = /[^\0-\x7f]/u;
const BEFORE_LABEL = /^[\s\p{Cc}\p{Cf}\p{DI}\\]*/u;

/** What a text that is marked as recalled begins and ends with, each a line of its own. */
export const OPENING_FENCE = "<recalled>";
export const CLOSING_FENCE = "</recalled>";

const MS_OF_DAY = 86_400_000;

/** The UTC date, as ISO 8601 writes it. */
export const dateOf = memoized(
  (at: number): string => {
    const iso = new Date(at).toISOString();
    return iso.slice(0, iso.indexOf("T"));
  },
  (at) => Math.floor(at / MS_OF_DAY),
);

/** Who an entry's line begins with. */
export function labelOf(entry: Candidate): string {
  if (entry.speaker !== undefined) return nameInText(entry.speaker);
  return entry.toolName === undefined ? entry.role : `${entry.role} ${nameInText(entry.toolName)}`;
}

/** A name as one visible piece of one line, which can neither close a bracket nor end a label. */
export const nameInText = memoized(
  (name: string): string => name.replace(UNPRINTED, " ").replace(ENDING, "_").trim() || "_",
);

/** `label: `, escaped where the label itself looks like a header. */
export const linePrefix = memoized((label: string): string =>
  isLikeHeader(label) ? `\\${label}: ` : `${label}: `,
);

/** What a label is compared by: a reader sees no difference between two of the same key. */
export const labelKey = memoized(keyOf);

function keyOf(label: string): string {
  return plain(label).trim().toLowerCase();
}

/** Without what nobody sees, and with full-width forms and the like as the letters that they are read as. */
function plain(text: string): string {
  const seen = text.replace(UNSEEN, "");
  return BEYOND_ASCII.test(seen) ? seen.normalize("NFKC") : seen;
}

/**
 * The content after its label, with what imitates a header, or a line of one of `labels` (keys),
 * escaped. Its first line begins no line of the text, and needs no escape.
 */
export function escapeContent(content: string, labels: ReadonlySet<string>): string {
  if (!LINE_BREAK.test(content)) return content;
  const [first = "", ...rest] = content.split(LINE_START);
  return first + rest.map((line) => (imitates(line, labels) ? `\\${line}` : line)).join("");
}

/** After whatever white space and backslashes. */
function isLikeHeader(line: string): boolean {
  const start = BEFORE_LABEL.exec(line)?.[0].length ?? 0;
  if (!OPENING.has(line[start] ?? "")) return false;
  return LIKE_HEADER.test(plain(line.slice(start)));
}

function imitates(line: string, labels: ReadonlySet<string>): boolean {
  if (isLikeHeader(line)) return true;
  const colon = line.search(COLON);
  if (colon < 0) return false;
  // Any length: a name may be drawn out with characters that nobody sees.
  return labels.has(keyOf(line.slice(0, colon).replace(BEFORE_LABEL, "")));
}
