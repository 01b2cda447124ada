import { ones } from "../internal/bits.js";
import { dateOf } from "../pack/text.js";
import type { EncodedText, SignatureEncoder } from "../signatures/encoder.js";
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
 * radius of one of the question's, as the search itself has it. Costs a few tens of microseconds
 * an entry, so it is done for those that somebody looks at.
 */
export class QuestionMatcher {
  readonly #question: MatchedQuestion;
  readonly #encoder: SignatureEncoder;
  readonly #asked: Halves;

  constructor(question: MatchedQuestion, encoder: SignatureEncoder) {
    this.#question = question;
    this.#encoder = encoder;
    this.#asked = halvesOf(question.query);
  }

  match(entry: MatchedEntry): Matches {
    const { content } = entry;
    const best = this.#matchUnsaid(entry);
    const ranges: [number, number][] = [];
    const found = words(content);
    const encoded = this.#encoder.encode(found);
    const halves = halvesOf(encoded);
    for (const [code, word] of encoded.wordOf.entries()) {
      const { start, end } = found[word]!;
      let isMatch = false;
      for (let asked = 0; asked < best.length; asked++) {
        const similarity =
          this.#question.query.stems[asked] === encoded.stems[code]
            ? 1
            : this.#similarity(asked, halves, code);
        if (similarity === 0) continue;
        isMatch = true;
        if (similarity > best[asked]!.similarity) {
          best[asked] = { matched: content.slice(start, end), similarity };
        }
      }
      if (isMatch) ranges.push([start, end]);
    }
    const factor = this.#question.lengthFactor?.(encoded.stems.length) ?? 1;
    return {
      words: this.#byWord(best),
      highlights: mergeRanges(ranges),
      own:
        best.reduce((sum, { similarity }, i) => sum + this.#share(i) * similarity ** 2, 0) * factor,
    };
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

  /** Between a signature of the question and one of a content; 0 outside the ball. */
  #similarity(asked: number, { bits, width }: Halves, code: number): number {
    let distance = 0;
    for (let i = 0; i < width; i++) {
      distance += ones(this.#asked.bits[asked * width + i]! ^ bits[code * width + i]!);
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

/** Signatures as 32-bit halves of their words: BigInts would be made anew for every operation. */
interface Halves {
  readonly bits: Uint32Array;
  /** Halves of one signature. */
  readonly width: number;
}

function halvesOf({ signatures, stems }: EncodedText): Halves {
  const { buffer, byteOffset, length } = signatures;
  return {
    bits: new Uint32Array(buffer, byteOffset, length * 2),
    width: stems.length === 0 ? 0 : (length * 2) / stems.length,
  };
}
