import { type Random, seededRandom } from "../lib/random.js";

/** How the bits of a data set are drawn. */
export type Distribution = "random" | "clustered";

/** Signatures per call that adds them: 64 thousand words. */
const CHUNK_WORDS = 1 << 16;
const CENTRES = 2000;

/**
 * Signatures in chunks, row after row. `random`: every bit is a coin's toss. `clustered`: each is one
 * of 2,000 centres, chosen by Zipf's law, with each bit flipped once in sixteen: buckets of a hash
 * table are then as uneven as those of real words.
 */
export function* chunks(
  distribution: Distribution,
  words: number,
  count: number,
  seed: number,
): Generator<BigUint64Array> {
  const random = seededRandom(seed);
  const centres = new Uint32Array(CENTRES * words * 2).map(() => bits(random));
  const rowsPerChunk = Math.floor(CHUNK_WORDS / words);
  for (let row = 0; row < count; row += rowsPerChunk) {
    const rows = Math.min(rowsPerChunk, count - row);
    const halves = new Uint32Array(rows * words * 2);
    for (let i = 0; i < halves.length; i++) halves[i] = bits(random);
    if (distribution === "clustered") {
      for (let i = 0; i < rows; i++) {
        // Zipf with exponent 1 by inversion: P(centre < c) is about log c / log CENTRES.
        const centre = Math.min(CENTRES - 1, Math.floor(CENTRES ** random()) - 1);
        for (let half = 0; half < words * 2; half++) {
          const flips = bits(random) & bits(random) & bits(random);
          const at = i * words * 2 + half;
          halves[at] = (centres[centre * words * 2 + half] ?? 0) ^ (halves[at]! & flips);
        }
      }
    }
    yield new BigUint64Array(halves.buffer);
  }
}

/** A copy of a signature with about one bit in sixteen flipped: a query that has a neighbour. */
export function near(signature: BigUint64Array, random: Random): BigUint64Array {
  const halves = new Uint32Array(signature.slice().buffer);
  for (let i = 0; i < halves.length; i++) {
    halves[i] = (halves[i] ?? 0) ^ (bits(random) & bits(random) & bits(random) & bits(random));
  }
  return new BigUint64Array(halves.buffer);
}

function bits(random: Random): number {
  return Math.floor(random() * 2 ** 32) >>> 0;
}
