/** One thing to time: runs it once and resolves to the milliseconds it took. */
export type Contestant = () => Promise<number>;

/** Milliseconds of a synchronous call; `sink` keeps its result in use. */
export function timed(work: () => number): Contestant {
  return async () => {
    const start = performance.now();
    sink += work();
    return performance.now() - start;
  };
}

let sink = 0;

/** The sum of what timed calls returned: printing it keeps the results in use. */
export function consumed(): number {
  return sink;
}

/**
 * The best time of each contestant. A round lets each run once, and rounds alternate the order, as
 * lib/interleave.ts does; contestants here may also run in another process.
 */
export async function contest(
  rounds: number,
  contestants: ReadonlyMap<string, Contestant>,
): Promise<Map<string, number>> {
  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    const order = [...contestants];
    if (round % 2 === 1) order.reverse();
    for (const [name, run] of order) {
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, await run()));
    }
  }
  return best;
}
