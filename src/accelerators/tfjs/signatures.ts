import type {
  AcceleratorOptions,
  DeviceSignatures,
  HammingBallMatches,
  HammingTopMatches,
} from "../accelerator.js";
import { type Block, BlockedRows, inSlices, toBlocks } from "./blocks.js";
import { nearest, type QueryRange, queryRanges } from "./nearest.js";
import type { Runtime } from "./runtime.js";
import type { Tensor, TfCore } from "./tf-core.js";

/**
 * Signatures as matrices of zeros and ones, a byte a bit, so that a distance is a product:
 *
 *   sum over the bits of r (2 q - 1)  =  (ones of q that r has) - (ones of r that q lacks)
 *                                     =  |q| - distance(q, r)                             (agreement)
 *
 * All are whole numbers below 2^24, exact in float32 in whatever order they are added, and so in
 * the ten bits of mantissa of a tensor core's factors. XOR and population count, which libtensorflow has,
 * are 20 times slower there: 0.14 G words of 32 bits a second.
 */
export class TfjsSignatures extends BlockedRows implements DeviceSignatures {
  readonly bits: number;

  constructor(blocks: readonly Block[], count: number, bits: number) {
    super(blocks, count);
    this.bits = bits;
  }

  static async from(runtime: Runtime, rows: BigUint64Array, bits: number): Promise<TfjsSignatures> {
    const words = bits / 64;
    const count = rows.length / words;
    const blocks = await toBlocks(runtime, count, bits, async (first, end) => {
      const values = new Uint8Array((end - first) * bits);
      await inSlices(runtime, first, end, bits, (from, to) => {
        values.set(bitsOf(rows.subarray(from * words, to * words)), (from - first) * bits);
      });
      return [{ values, shape: [end - first, bits], type: "bool" }];
    });
    return new TfjsSignatures(blocks, count, bits);
  }
}

/** Distances that are looked at on the JavaScript thread at once: some milliseconds. */
const LOOKED_AT = 2 ** 21;

export async function hammingTopK(
  runtime: Runtime,
  queries: BigUint64Array,
  { blocks, count, bits }: TfjsSignatures,
  k: number,
  options: AcceleratorOptions | undefined,
): Promise<HammingTopMatches> {
  const asked = new Asked(runtime, queries, bits);
  const best = await nearest(
    runtime,
    { blocks, count, width: bits, queryCount: asked.count },
    k,
    (tf, range, [rows]) => asked.agreements(tf, range, rows!),
    options,
  );
  const distances = new Uint16Array(best.scores.length);
  for (let i = 0; i < distances.length; i++) {
    distances[i] = asked.ones[Math.floor(i / best.k)]! - best.scores[i]!;
  }
  return { k: best.k, ids: best.ids, distances };
}

export async function hammingWithin(
  runtime: Runtime,
  queries: BigUint64Array,
  { blocks, bits }: TfjsSignatures,
  radius: number,
  options: AcceleratorOptions | undefined,
): Promise<HammingBallMatches> {
  const asked = new Asked(runtime, queries, bits);
  const balls = Array.from({ length: asked.count }, () => ({
    ids: [] as number[],
    distances: [] as number[],
  }));
  for (const block of blocks) {
    await block.with(async ([rows]) => {
      for (const range of queryRanges(runtime, asked.count, block, bits, LOOKED_AT)) {
        await runtime.breathe(options);
        const [agreements] = await runtime.read((tf) => [asked.agreements(tf, range, rows!)]);
        for (let q = range.first; q < range.end; q++) {
          const { ids, distances } = balls[q]!;
          const ones = asked.ones[q]!;
          const at = (q - range.first) * block.count;
          for (let row = 0; row < block.count; row++) {
            const distance = ones - agreements![at + row]!;
            if (distance > radius) continue;
            ids.push(block.first + row);
            distances.push(distance);
          }
        }
      }
    });
  }
  const offsets = new Uint32Array(asked.count + 1);
  for (const [q, { ids }] of balls.entries()) offsets[q + 1] = offsets[q]! + ids.length;
  const found = {
    offsets,
    ids: new Uint32Array(offsets.at(-1)!),
    distances: new Uint16Array(offsets.at(-1)!),
  };
  for (const [q, { ids, distances }] of balls.entries()) {
    found.ids.set(ids, offsets[q]);
    found.distances.set(distances, offsets[q]);
  }
  return found;
}

/** Queries, as factors of the product. */
class Asked {
  readonly count: number;
  /** Of each query the number of ones. */
  readonly ones: Uint16Array;
  readonly #runtime: Runtime;
  readonly #bits: number;
  /** 1 for a one, -1 for a zero. */
  readonly #factors: Float32Array;

  constructor(runtime: Runtime, queries: BigUint64Array, bits: number) {
    this.#runtime = runtime;
    this.#bits = bits;
    this.#factors = Float32Array.from(bitsOf(queries), (bit) => 2 * bit - 1);
    this.count = this.#factors.length / bits;
    this.ones = new Uint16Array(this.count);
    for (const [i, factor] of this.#factors.entries()) {
      if (factor === 1) this.ones[Math.floor(i / bits)]!++;
    }
  }

  /** Of each query with each row: how many ones the query has, less the distance. */
  agreements(tf: TfCore, { first, end }: QueryRange, rows: Tensor): Tensor {
    const own = this.#factors.subarray(first * this.#bits, end * this.#bits);
    const factors = tf.tensor(own, [end - first, this.#bits]);
    return this.#runtime.products(factors, tf.cast(rows, "float32"));
  }
}

/** A byte a bit, in the order of the words as they lie in memory: a distance does not ask which is which. */
function bitsOf(words: BigUint64Array): Uint8Array {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  const bits = new Uint8Array(bytes.length * 8);
  for (let i = 0; i < bytes.length; i++) {
    for (let bit = 0; bit < 8; bit++) bits[i * 8 + bit] = (bytes[i]! >> bit) & 1;
  }
  return bits;
}
