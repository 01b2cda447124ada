import { stemmer } from "stemmer";

const STOP_WORDS = new Set(
  (
    "a an and are as at be but by did do does for from had has have he her his how i if in into " +
    "is it its me my no not of on or our she so than that the their them then there these they " +
    "this those to was we were what when where which who whom why will with would you your"
  ).split(" "),
);

/** Lower-case words of letters and digits, without stop words, stemmed by Porter's rules. */
export function stems(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .normalize("NFKD")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map(stem);
}

/** Words come again and again, and stemming one takes a microsecond. */
const known = new Map<string, string>();
const MOST_KNOWN = 1 << 18;

function stem(word: string): string {
  let found = known.get(word);
  if (found === undefined) {
    found = stemmer(word);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(word, found);
  }
  return found;
}

const K1 = 1.2;
const B = 0.75;

/**
 * Okapi BM25 over a fixed list of texts, k1 = 1.2, b = 0.75: the reference ranking. A word of the
 * question counts once.
 *
 * Source: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
 */
export class Bm25 {
  readonly #frequencies = new Map<string, Map<number, number>>();
  readonly #lengths: readonly number[];
  readonly #meanLength: number;

  constructor(texts: readonly string[]) {
    this.#lengths = texts.map((text, document) => {
      const words = stems(text);
      for (const word of words) {
        const documents = this.#frequencies.get(word) ?? new Map<number, number>();
        this.#frequencies.set(word, documents);
        documents.set(document, (documents.get(document) ?? 0) + 1);
      }
      return words.length;
    });
    const total = this.#lengths.reduce((sum, length) => sum + length, 0);
    this.#meanLength = total / Math.max(1, texts.length);
  }

  /** All texts, best first. */
  rank(question: string, ties: "earlier" | "later" = "earlier"): number[] {
    const count = this.#lengths.length;
    const scores = new Float64Array(count);
    for (const word of new Set(stems(question))) {
      const documents = this.#frequencies.get(word);
      if (documents === undefined) continue;
      const idf = Math.log(1 + (count - documents.size + 0.5) / (documents.size + 0.5));
      for (const [document, frequency] of documents) {
        const norm = 1 - B + (B * this.#lengths[document]!) / this.#meanLength;
        scores[document]! += (idf * frequency * (K1 + 1)) / (frequency + K1 * norm);
      }
    }
    const sign = ties === "earlier" ? 1 : -1;
    return Array.from(scores.keys()).sort((a, b) => scores[b]! - scores[a]! || sign * (a - b));
  }
}
