import type {
  AcceleratorDriver,
  AcceleratorOptions,
  CosineMatches,
  DeviceSignatures,
  DeviceVectors,
  HammingBallMatches,
  HammingTopMatches,
} from "../accelerator.js";
import { Best } from "./best.js";
import { GPUJS_MANIFEST } from "./manifest.js";
import { packUnits, packWords } from "./pack.js";
import type { Session } from "./session.js";
import { Tiles } from "./tiles.js";

/**
 * Hamming and cosine through gpu.js. A query is one run of a kernel over each tile, which gives back a
 * number a row; the host picks among them. So a query costs the reading of 4 bytes a row, besides what
 * the kernel reads: 4 bytes for 16 bits of a signature, and for each dimension of a vector.
 *
 * In `cpu` and `headlessgl` a kernel runs on the JavaScript thread; between tiles, others have it.
 */
export class GpujsDriver implements AcceleratorDriver {
  readonly manifest = GPUJS_MANIFEST;
  readonly device: string;
  readonly #session: Session;

  constructor(session: Session, device: string) {
    this.#session = session;
    this.device = device;
  }

  async vectors(rows: Float32Array, dimensions: number): Promise<DeviceVectors> {
    const count = rows.length / dimensions;
    const { kernels } = this.#session;
    const source = (name: string) => kernels.cosine(dimensions, name);
    const pack = packUnits(rows, dimensions);
    return new Vectors(
      await Tiles.of(this.#session, count, dimensions, source, pack),
      count,
      dimensions,
    );
  }

  async signatures(rows: BigUint64Array, bits: number): Promise<DeviceSignatures> {
    const { kernels } = this.#session;
    const words = bits / kernels.wordBits;
    const source = (name: string) => kernels.hamming(words, name);
    const pack = packWords(wordsOf(rows, kernels.wordBits), words);
    const count = (rows.length * 64) / bits;
    return new Signatures(await Tiles.of(this.#session, count, words, source, pack), count, bits);
  }

  async cosineTopK(
    queries: Float32Array,
    vectors: DeviceVectors,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<CosineMatches> {
    const { tiles, count, dimensions } = vectors as Vectors;
    const most = Math.min(k, count);
    const queryCount = queries.length / dimensions;
    const ids = new Uint32Array(queryCount * most);
    const scores = new Float32Array(queryCount * most);
    const query = new Float32Array(dimensions);
    for (let q = 0; q < queryCount; q++) {
      packUnits(queries, dimensions)(query, 1, q, 1);
      const found = await best(tiles, query, most, 1, options?.signal);
      for (const [rank, { id, value }] of found.entries()) {
        ids[q * most + rank] = id;
        scores[q * most + rank] = value;
      }
    }
    return { k: most, ids, scores };
  }

  async hammingTopK(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<HammingTopMatches> {
    const { tiles, count } = signatures as Signatures;
    const most = Math.min(k, count);
    const asked = [...this.#queriesOf(queries, signatures.bits)];
    const ids = new Uint32Array(asked.length * most);
    const distances = new Uint16Array(asked.length * most);
    for (const [q, query] of asked.entries()) {
      const found = await best(tiles, query, most, -1, options?.signal);
      for (const [rank, { id, value }] of found.entries()) {
        ids[q * most + rank] = id;
        distances[q * most + rank] = -value;
      }
    }
    return { k: most, ids, distances };
  }

  async hammingWithin(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    radius: number,
    options?: AcceleratorOptions,
  ): Promise<HammingBallMatches> {
    const { tiles, bits } = signatures as Signatures;
    const offsets = [0];
    const ids: number[] = [];
    const distances: number[] = [];
    for (const query of this.#queriesOf(queries, bits)) {
      for await (const { first, numbers } of tiles.numbers(query, options?.signal)) {
        for (let i = 0; i < numbers.length; i++) {
          if (numbers[i]! > radius) continue;
          ids.push(first + i);
          distances.push(numbers[i]!);
        }
      }
      offsets.push(ids.length);
    }
    return {
      offsets: Uint32Array.from(offsets),
      ids: Uint32Array.from(ids),
      distances: Uint16Array.from(distances),
    };
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  *#queriesOf(queries: BigUint64Array, bits: number): Generator<Float32Array> {
    const words = wordsOf(queries, this.#session.kernels.wordBits);
    const length = bits / this.#session.kernels.wordBits;
    for (let at = 0; at < words.length; at += length) {
      yield Float32Array.from(words.subarray(at, at + length));
    }
  }
}

async function best(
  tiles: Tiles,
  query: Float32Array,
  most: number,
  scale: 1 | -1,
  signal: AbortSignal | undefined,
) {
  const found = new Best(most);
  for await (const { first, numbers } of tiles.numbers(query, signal)) {
    found.offer(numbers, first, scale);
  }
  return found.sorted();
}

function wordsOf(rows: BigUint64Array, wordBits: number): Uint16Array | Uint32Array {
  const { buffer, byteOffset, byteLength } = rows;
  return wordBits === 16
    ? new Uint16Array(buffer, byteOffset, byteLength / 2)
    : new Uint32Array(buffer, byteOffset, byteLength / 4);
}

class Vectors implements DeviceVectors {
  constructor(
    readonly tiles: Tiles,
    readonly count: number,
    readonly dimensions: number,
  ) {}

  dispose(): void {
    this.tiles.dispose();
  }
}

class Signatures implements DeviceSignatures {
  constructor(
    readonly tiles: Tiles,
    readonly count: number,
    readonly bits: number,
  ) {}

  dispose(): void {
    this.tiles.dispose();
  }
}
