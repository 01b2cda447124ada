import { numbersIn } from "../internal/bits.js";
import type { Ranking, Strategy } from "./strategy.js";

/** What others do, or what costs nothing: the floors that a strategy is measured against. */

/** Everything that fits, from the latest back, without a gap. */
export const fullContext: Strategy = {
  name: "full-context",
  rank: ({ view, limit, mask }) => ({ ...inOrder(view.latest(limit, mask)), contiguous: true }),
};

/** The latest entries, passing over those that do not fit. */
export const recency: Strategy = {
  name: "recency",
  rank: ({ view, limit, mask }) => inOrder(view.latest(limit, mask)),
};

/** Any entries: the same ones for the same question. */
export const random: Strategy = {
  name: "random",
  rank({ question, view, limit, mask }) {
    const next = mulberry32(hash(question));
    const numbers = numbersIn(mask ?? view.select({}));
    const count = Math.min(limit, numbers.length);
    for (let i = 0; i < count; i++) {
      const j = i + Math.floor(next() * (numbers.length - i));
      [numbers[i], numbers[j]] = [numbers[j]!, numbers[i]!];
    }
    return inOrder(numbers.subarray(0, count));
  },
};

/** Nothing. */
export const none: Strategy = { name: "none", rank: () => inOrder(new Uint32Array(0)) };

/** A score that says only the order: 1, 1/2, 1/3, ... */
function inOrder(entries: Uint32Array): Ranking {
  return { entries, scores: Float32Array.from(entries, (_, i) => 1 / (i + 1)) };
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}

/** Tommy Ettinger's Mulberry32: 32 bits of state, numbers in [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
