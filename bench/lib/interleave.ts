/** Work to time: returns something made of its results, so that nothing can be left out. */
export type Work = () => number;

let sink = 0;

/** The sum of what the work returned: printing it keeps the results in use. */
export function consumed(): number {
  return sink;
}

/**
 * Times several pieces of work against each other on a noisy machine: one round runs each of them
 * once, the rounds alternate the order, and a piece's time is the best of its rounds.
 *
 * @returns milliseconds, in the order of `works`.
 */
export function interleave(rounds: number, works: readonly Work[]): number[] {
  const best = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step < works.length; step++) {
      const index = round % 2 === 0 ? step : works.length - 1 - step;
      const work = works[index];
      if (work === undefined) continue;
      const start = performance.now();
      sink += work();
      best[index] = Math.min(best[index] ?? 0, performance.now() - start);
    }
  }
  return best;
}
