import type { Random } from "../lib/random.js";

/** How far members lie from their topic: cosines within a topic are about 1 / (1 + SPREAD²) = 0.8. */
const SPREAD = 0.5;
/** Of a member and a topic, in units of the topic's length: topics of one space have much in common. */
const COMMON = 1.2;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Embeddings as of a bank of chunks: of topics drawn by Zipf's law, around a direction that all
 * have in common, as sentence models' are.
 */
export function* embeddings(dimensions: number, topics: number, random: Random) {
  const vector = () => Float32Array.from({ length: dimensions }, () => normal(random));
  const common = vector().map((value) => COMMON * value);
  const centres = Array.from({ length: topics }, () => vector().map((x, j) => x + common[j]!));
  const size = Math.sqrt(1 + COMMON ** 2);
  for (;;) {
    const topic = Math.floor(topics ** random()) - 1;
    yield centres[topic]!.map((value) => value / size + SPREAD * normal(random));
  }
}
