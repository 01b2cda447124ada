import type { EncodedText, SignatureEncoder } from "../signatures/encoder.js";
import { type Word, words } from "../text/words.js";
import type { RecallItem, WordMatch } from "../types.js";

/** What is shown of how a content matches the question. */
export interface Matches {
  readonly words: readonly WordMatch[];
  readonly highlights: RecallItem["highlights"];
}

/**
 * Finds the words of a content that match a question's: the same stem, or a signature within the
 * radius of one of the question's, as the search itself has it. Costs a few tens of microseconds
 * a content, so it is done for the entries that somebody looks at.
 */
export class QuestionMatcher {
  readonly #question: readonly Word[];
  readonly #query: EncodedText;
  readonly #encoder: SignatureEncoder;
  readonly #radius: number;

  constructor(
    question: readonly Word[],
    query: EncodedText,
    encoder: SignatureEncoder,
    radius: number,
  ) {
    this.#question = question;
    this.#query = query;
    this.#encoder = encoder;
    this.#radius = radius;
  }

  match(content: string): Matches {
    const found = words(content);
    const encoded = this.#encoder.encode(found);
    const best = new Map<string, WordMatch>();
    const ranges: [number, number][] = [];
    for (let code = 0; code < encoded.stems.length; code++) {
      const nearest = this.#nearest(encoded, code);
      if (nearest === undefined) continue;
      const { start, end } = found[encoded.wordOf[code]!]!;
      ranges.push([start, end]);
      const word = this.#question[nearest.word]!.text;
      if (nearest.similarity > (best.get(word)?.similarity ?? -1)) {
        const matched = content.slice(start, end);
        best.set(word, { word, matched, similarity: nearest.similarity });
      }
    }
    return {
      words: [...best.values()].sort((a, b) => b.similarity - a.similarity),
      highlights: mergeRanges(ranges),
    };
  }

  /** The question's word closest to a code, if any is close enough. */
  #nearest(encoded: EncodedText, code: number): { word: number; similarity: number } | undefined {
    const { stems, signatures, wordOf } = this.#query;
    const bits = this.#encoder.bits;
    const width = signatures.length / stems.length;
    let closest: number | undefined;
    let least = this.#radius + 1;
    for (let i = 0; i < stems.length; i++) {
      if (stems[i] === encoded.stems[code]) return { word: wordOf[i]!, similarity: 1 };
      const distance = hamming(signatures, i * width, encoded.signatures, code * width, width);
      if (distance < least) [closest, least] = [wordOf[i], distance];
    }
    if (closest === undefined) return undefined;
    return { word: closest, similarity: Math.cos((Math.PI * least) / bits) };
  }
}

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

function hamming(
  a: BigUint64Array,
  aStart: number,
  b: BigUint64Array,
  bStart: number,
  width: number,
): number {
  // 32-bit halves: BigInts would be made anew for every operation.
  const left = new Uint32Array(a.buffer, a.byteOffset + aStart * 8, width * 2);
  const right = new Uint32Array(b.buffer, b.byteOffset + bStart * 8, width * 2);
  let distance = 0;
  for (let i = 0; i < left.length; i++) distance += ones(left[i]! ^ right[i]!);
  return distance;
}

/** The one bits of a 32-bit number, summed in ever wider fields. */
function ones(bits: number): number {
  let sum = bits - ((bits >>> 1) & 0x55555555);
  sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
