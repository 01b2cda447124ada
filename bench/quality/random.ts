import { seededRandom, shuffled } from "../lib/random.js";
import { packedRanker } from "./packed-ranker.js";
import type { Strategy } from "./strategy.js";

/** Any turns, other ones for each question: the floor. */
export function random(seed: number): Strategy {
  const next = seededRandom(seed);
  return packedRanker("random", ({ turns }) => ({
    addMs: [],
    rank: () => shuffled(turns.length, next),
  }));
}
