import type { Turn } from "../../src/index.js";
import { type Random, seededRandom } from "../lib/random.js";

/**
 * Conversation that doesn't repeat, of any length, from a seed: what the `memory` bench adds and
 * asks. It says nothing, but its words fall as in real dialogue:
 *
 *   - content words are drawn from a frequency-ordered English vocabulary by Zipf-Mandelbrot's law,
 *     p(rank) ~ 1 / (rank + OFFSET)^EXPONENT; 37% of words are stop words, as in LoCoMo;
 *   - a turn has about 50 o200k_base tokens, in sentences of 5 to 16 words; some words are numbers;
 *   - two speakers take turns, and nearly every question names one of them, as LoCoMo's do;
 *   - a question asks about words of a turn (a long one, of several turns), the more frequent of two
 *     each time. The constants were chosen so that its (at most 12 rarest) content words occur about
 *     as often as real ones do, counted by exact stem and per million tokens of one conversation: a
 *     median of 17,000 (LoCoMo's are 26,000, since its turns are shorter and so its speakers' names
 *     more frequent) and of 1,340 for questions of 60 to 100 words (RealMem's are 1,380).
 */

const OFFSET = 12;
const EXPONENT = 1.02;
const STOP_SHARE = 0.37;
const NUMBER_SHARE = 0.015;
const TURN_WORDS = [26, 56] as const;
const SENTENCE_WORDS = [5, 16] as const;
const TURNS_PER_SESSION = 40;
/** A long question is about several turns, so many of its words for each. */
const WORDS_PER_TOPIC = 12;
const SPEAKERS = ["Marguerite", "Tobias"] as const;

/** In the order of their frequency, roughly. */
const STOP_WORDS =
  "the to and i a of you it in that is was for my on with we have be so me at this but are do as not they he she had from what your if when by there or were an our how did has".split(
    " ",
  );
const OPENINGS = [
  "What did",
  "When did",
  "Where did",
  "Why does",
  "How did",
  "Which of",
  "Who told",
];

/** Sampling ranks 0 to n - 1 by a table of cumulative weights. */
class Zipf {
  readonly #cumulative: Float64Array;

  constructor(count: number, offset: number, exponent: number) {
    this.#cumulative = new Float64Array(count);
    let sum = 0;
    for (let rank = 0; rank < count; rank++) {
      sum += (rank + 1 + offset) ** -exponent;
      this.#cumulative[rank] = sum;
    }
  }

  sample(random: Random): number {
    const target = random() * this.#cumulative.at(-1)!;
    let low = 0;
    let high = this.#cumulative.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#cumulative[middle]! > target) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

export class TextSource {
  readonly #random: Random;
  readonly #vocabulary: readonly string[];
  readonly #content: Zipf;
  readonly #stop = new Zipf(STOP_WORDS.length, 2, 1);
  #turns = 0;
  /** The content words of each turn, as ranks in the vocabulary. */
  readonly #topics: number[][] = [];

  /** @param vocabulary English words, the most frequent first, without stop words. */
  constructor(seed: number, vocabulary: readonly string[]) {
    this.#random = seededRandom(seed);
    this.#vocabulary = vocabulary;
    this.#content = new Zipf(vocabulary.length, OFFSET, EXPONENT);
  }

  /** The next turn. Sessions have 40 turns and are a day apart. */
  turn(): Turn & { readonly content: string } {
    const number = this.#turns++;
    const session = Math.floor(number / TURNS_PER_SESSION);
    const topic: number[] = [];
    const content = this.#sentences(this.#between(...TURN_WORDS), topic);
    this.#topics.push(topic);
    return {
      role: number % 2 === 0 ? "user" : "assistant",
      speaker: SPEAKERS[number % 2]!,
      session: `session-${session + 1}`,
      at: Date.UTC(2024, 0, 1 + session, 9) + (number % TURNS_PER_SESSION) * 60_000,
      content,
    };
  }

  /** A question of `low` to `high` words about turns so far; there must be one. */
  question(low: number, high: number): string {
    const words = [this.#pick(OPENINGS), this.#pick(SPEAKERS)];
    const wanted = this.#between(low, high);
    let topic: readonly number[] = [];
    while (words.length < wanted) {
      if ((words.length - 2) % WORDS_PER_TOPIC === 0) topic = this.#pick(this.#topics);
      const stop = topic.length === 0 || this.#random() < STOP_SHARE;
      words.push(
        stop
          ? STOP_WORDS[this.#stop.sample(this.#random)]!
          : this.#vocabulary[Math.min(this.#pick(topic), this.#pick(topic))]!,
      );
    }
    return `${words.join(" ")}?`;
  }

  #sentences(words: number, topic: number[]): string {
    let text = "";
    for (let left = words; left > 0; ) {
      const length = Math.min(left, this.#between(...SENTENCE_WORDS));
      const sentence = Array.from({ length }, () => this.#word(topic)).join(" ");
      text += `${text === "" ? "" : " "}${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`;
      left -= length;
    }
    return text;
  }

  #word(topic: number[]): string {
    const kind = this.#random();
    if (kind < STOP_SHARE) return STOP_WORDS[this.#stop.sample(this.#random)]!;
    if (kind < STOP_SHARE + NUMBER_SHARE) return String(this.#between(1, 2100));
    const rank = this.#content.sample(this.#random);
    topic.push(rank);
    return this.#vocabulary[rank]!;
  }

  #between(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1));
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)]!;
  }
}
