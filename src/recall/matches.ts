import { ones } from "../internal/bits.js";
import { dateOf } from "../pack/text.js";
import type { EncodedRows, EncodedText, SignatureEncoder } from "../signatures/encoder.js";
import type { NamedDate } from "../text/dates.js";
import { type Word, words } from "../text/words.js";
import type { RecallItem, WordMatch } from "../types.js";

/** How an entry matches the question. */
export interface Matches {
  readonly words: readonly WordMatch[];
  readonly highlights: RecallItem["highlights"];
  /** What the entry's own words make of the signature score, without its neighbours'. */
  readonly own: number;
}

/** What of an entry can match. */
export interface MatchedEntry {
  readonly content: string;
  readonly speaker: string | undefined;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The question, as the search had it. */
export interface MatchedQuestion {
  readonly words: readonly Word[];
  readonly dates: readonly NamedDate[];
  readonly query: EncodedText;
  readonly radius: number;
  /** Of each of the query's codes, its share of a signature score; empty: nobody knows. */
  readonly shares: Float32Array;
  readonly lengthFactor?: ((codes: number) => number) | undefined;
}

/**
 * Finds the words of an entry that match a question's: the same stem, or a signature within the
 * radius of one of the question's, as the search itself has it. Costs some ten microseconds an
 * entry, so it is done for those that somebody looks at.
 */
export class QuestionMatcher {
  readonly #question: MatchedQuestion;
  readonly #encoder: SignatureEncoder;
  readonly #asked: Rows;
  /** What words match, by their texts. */
  readonly #known = new Map<string, WordMatches>();

  constructor(question: MatchedQuestion, encoder: SignatureEncoder) {
    this.#question = question;
    this.#encoder = encoder;
    this.#asked = rowsOf(question.query);
  }

  match(entry: MatchedEntry): Matches {
    const { content } = entry;
    const best = this.#matchUnsaid(entry);
    const ranges: [number, number][] = [];
    const found = words(content);
    let codes = 0;
    for (const [i, { rows, hits }] of this.#match(found).entries()) {
      codes += rows;
      if (hits.length === 0) continue;
      const { start, end } = found[i]!;
      ranges.push([start, end]);
      for (const { asked, similarity } of hits) {
        if (similarity > best[asked]!.similarity) {
          best[asked] = { matched: content.slice(start, end), similarity };
        }
      }
    }
    const factor = this.#question.lengthFactor?.(codes) ?? 1;
    return {
      words: this.#byWord(best),
      highlights: mergeRanges(ranges),
      own:
        best.reduce((sum, { similarity }, i) => sum + this.#share(i) * similarity ** 2, 0) * factor,
    };
  }

  /** What each word matches. The entries of a recall have most of their words in common. */
  #match(found: readonly Word[]): WordMatches[] {
    if (!this.#encoder.isContextFree || found.some(isJoined)) return this.#matchRows(found);
    const unknown = found.filter(({ text, stop }) => !stop && !this.#known.has(text));
    if (unknown.length > 0) {
      for (const [i, matches] of this.#matchRows(unknown).entries()) {
        this.#known.set(unknown[i]!.text, matches);
      }
    }
    return found.map(({ text, stop }) => (stop ? NO_ROWS : this.#known.get(text)!));
  }

  /** The same, of words as they follow each other in a content. */
  #matchRows(found: readonly Word[]): WordMatches[] {
    const matches = found.map((): { rows: number; hits: Hit[] } => ({ rows: 0, hits: [] }));
    const encoded = this.#encoder.encodeRows(found);
    const rows = rowsOf(encoded);
    for (const [row, word] of encoded.wordOf.entries()) {
      const of = matches[word]!;
      of.rows++;
      for (let asked = 0; asked < this.#question.query.stems.length; asked++) {
        const similarity = this.#similarity(asked, rows, row);
        if (similarity > 0) of.hits.push({ asked, similarity });
      }
    }
    return matches;
  }

  /** For each code of the question: what matches it that the content does not say. */
  #matchUnsaid({ speaker, at }: MatchedEntry): BestMatch[] {
    const { words: asked, dates, query } = this.#question;
    const names = new Map<string, string>();
    for (const { stem, stop, start, end } of speaker === undefined ? [] : words(speaker)) {
      if (!stop) names.set(stem, speaker!.slice(start, end));
    }
    return Array.from(query.wordOf, (word) => {
      const isDate = dates.some((date) => date.word === word && date.matches(at));
      const matched = isDate ? dateOf(at) : names.get(asked[word]!.stem);
      return matched === undefined ? NO_MATCH : { matched, similarity: 1 };
    });
  }

  /** Between a code of the question and one of a content; 0 outside the ball. */
  #similarity(asked: number, { bits, stems, width }: Rows, row: number): number {
    const { bits: askedBits, stems: askedStems } = this.#asked;
    if (
      askedStems[2 * asked] === stems[2 * row] &&
      askedStems[2 * asked + 1] === stems[2 * row + 1]
    ) {
      return 1;
    }
    let distance = 0;
    for (let i = 0; i < width; i++) {
      distance += ones(askedBits[asked * width + i]! ^ bits[row * width + i]!);
    }
    if (distance > this.#question.radius) return 0;
    return Math.max(0, Math.cos((Math.PI * distance) / this.#encoder.bits));
  }

  #share(code: number): number {
    return this.#question.shares[code] ?? 0;
  }

  /** A word of a script without spaces has several codes: the best of them stands for it. */
  #byWord(best: readonly BestMatch[]): WordMatch[] {
    const { words: asked, query } = this.#question;
    const matches = new Map<number, WordMatch>();
    for (const [code, { matched, similarity }] of best.entries()) {
      if (similarity === 0) continue;
      const word = query.wordOf[code]!;
      const weight = this.#share(code) + (matches.get(word)?.weight ?? 0);
      const before = matches.get(word);
      matches.set(
        word,
        before !== undefined && before.similarity >= similarity
          ? { ...before, weight }
          : { word: asked[word]!.text, matched, similarity, weight },
      );
    }
    return [...matches.values()].sort(
      (a, b) =>
        b.weight * b.similarity ** 2 - a.weight * a.similarity ** 2 || b.similarity - a.similarity,
    );
  }
}

/** A word of a content. */
interface WordMatches {
  /** How many codes it has. */
  readonly rows: number;
  readonly hits: readonly Hit[];
}

interface Hit {
  /** Which code of the question. */
  readonly asked: number;
  readonly similarity: number;
}

const NO_ROWS: WordMatches = { rows: 0, hits: [] };
const LAST_ASCII = 0x7f;

interface BestMatch {
  readonly matched: string;
  readonly similarity: number;
}

const NO_MATCH: BestMatch = { matched: "", similarity: 0 };

/** Ranges in order, those that overlap as one: a word and its parts may both match. */
function mergeRanges(ranges: readonly [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = merged.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Whether a word and the one before it make a third: in scripts without spaces they do. */
function isJoined({ text, start }: Word, i: number, found: readonly Word[]): boolean {
  return i > 0 && found[i - 1]!.end === start && text.charCodeAt(0) > LAST_ASCII;
}

/** Signatures and stems as 32-bit halves: BigInts would be made anew for every operation. */
interface Rows {
  readonly bits: Uint32Array;
  readonly stems: Uint32Array;
  /** Halves of one signature. */
  readonly width: number;
}

function rowsOf({ signatures, stems }: EncodedRows): Rows {
  return {
    bits: halvesOf(signatures),
    stems: halvesOf(stems),
    width: stems.length === 0 ? 0 : (signatures.length * 2) / stems.length,
  };
}

function halvesOf({ buffer, byteOffset, length }: BigUint64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length * 2);
}
