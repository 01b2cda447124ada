import { seededRandom } from "../lib/random.js";

/** A difference of two means, with what chance makes of it. */
export interface Comparison {
  readonly difference: number;
  /** The middle 95% of what resampling gives. */
  readonly low: number;
  readonly high: number;
  /** How often chance alone makes a difference as large, two-sided; never 0. */
  readonly p: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export const SAMPLES = 5000;

/**
 * Compares two strategies on the same questions by the paired bootstrap: questions are drawn with
 * replacement, each with both of its values, and the mean of a - b is taken of every draw. The p-value
 * is the share of draws whose mean lies as far from the observed one as that lies from 0.
 *
 * Cost: samples x questions additions.
 *
 * Source: B. Efron, R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 13 and 16.
 */
export function compare(a: readonly number[], b: readonly number[], seed = 1): Comparison {
  if (a.length !== b.length || a.length === 0) {
    throw new RangeError(`expected two lists of one length, got ${a.length} and ${b.length}`);
  }
  const differences = Float64Array.from(a, (value, i) => value - b[i]!);
  const difference = mean(differences);
  const draws = resample(differences, seed);
  // A little slack, since a sum depends on its order.
  const distance = Math.abs(difference) - 1e-9;
  const asFar = draws.filter((draw) => Math.abs(draw - difference) >= distance).length;
  return { difference, ...middle(draws), p: (asFar + 1) / (SAMPLES + 1) };
}

/** The 95% interval of one mean. */
export function interval(values: readonly number[], seed = 1): Interval {
  return middle(resample(Float64Array.from(values), seed));
}

/** The means of as many draws as {@link SAMPLES}, ascending. */
function resample(values: Float64Array, seed: number): Float64Array {
  const next = seededRandom(seed);
  const { length } = values;
  return Float64Array.from({ length: SAMPLES }, () => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += values[Math.floor(next() * length)]!;
    return sum / length;
  }).sort();
}

function middle(draws: Float64Array): Interval {
  const at = (share: number) => draws[Math.round(share * (draws.length - 1))]!;
  return { low: at(0.025), high: at(0.975) };
}

export function mean(values: Iterable<number>): number {
  let sum = 0;
  let count = 0;
  for (const value of values) {
    sum += value;
    count++;
  }
  return sum / count;
}
