import { DentateError } from "../../errors.js";
import { loadBinding } from "../../native/binding.js";
import { withCancel } from "../../native/cancel.js";
import {
  CUDA_SIGNATURES,
  CUDA_VECTORS,
  type NativeCudaEngine,
  type NativeCudaRows,
} from "../../native/cuda-binding.js";
import type {
  AcceleratorDriver,
  AcceleratorOptions,
  CosineMatches,
  DeviceSignatures,
  DeviceVectors,
  HammingBallMatches,
  HammingTopMatches,
  Subspaces,
  VectorGroups,
} from "../accelerator.js";
import { CUDA_MANIFEST } from "./manifest.js";

/** What is copied on the JavaScript thread at once: a millisecond or two. */
const SLICE_BYTES = 2 ** 23;

/** The plugin as an accelerator. Nothing but copies of inputs runs on the JavaScript thread. */
export class CudaDriver implements AcceleratorDriver {
  readonly manifest = CUDA_MANIFEST;
  readonly device: string;
  readonly #engine: NativeCudaEngine;

  constructor(engine: NativeCudaEngine, device: string) {
    this.#engine = engine;
    this.device = device;
  }

  /** Bytes of device memory in use, kept for the next use, and allowed. */
  get memory(): { readonly held: number; readonly cached: number; readonly cap: number } {
    return this.#engine.memory();
  }

  async vectors(rows: Float32Array, dimensions: number): Promise<DeviceVectors> {
    const native = await this.#upload(CUDA_VECTORS, rows, dimensions);
    return new Vectors(native, rows.length / dimensions, dimensions);
  }

  async signatures(rows: BigUint64Array, bits: number): Promise<DeviceSignatures> {
    const native = await this.#upload(CUDA_SIGNATURES, rows, bits / 64);
    return new Signatures(native, (rows.length * 64) / bits, bits);
  }

  async cosineTopK(
    queries: Float32Array,
    vectors: DeviceVectors,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<CosineMatches> {
    const { native, count } = vectors as Vectors;
    const most = Math.min(k, count);
    const found = await withCancel(options?.signal, (cancel) =>
      native.cosineTopK(queries, most, cancel),
    );
    return { k: most, ids: found.ids, scores: found.scores };
  }

  async firstSingularVectors(
    groups: VectorGroups,
    options?: AcceleratorOptions,
  ): Promise<Float32Array> {
    return (await this.subspaces(groups, 1, options)).vectors;
  }

  async subspaces(
    { rows, dimensions, offsets }: VectorGroups,
    rank: number,
    options?: AcceleratorOptions,
  ): Promise<Subspaces> {
    const count = offsets.length - 1;
    checkRank(offsets, dimensions, rank);
    const vectors = new Float32Array(count * rank * dimensions);
    const values = new Float32Array(count * rank);
    for (let first = 0; first < count; ) {
      const next = endOfSlice(offsets, first, SLICE_BYTES / (4 * dimensions));
      const own = offsets.slice(first, next + 1).map((offset) => offset - offsets[first]!);
      const part = rows.subarray(offsets[first]! * dimensions, offsets[next]! * dimensions);
      const found = await withCancel(options?.signal, (cancel) =>
        this.#engine.subspaces(part, dimensions, own, rank, cancel),
      );
      vectors.set(found.vectors, first * rank * dimensions);
      values.set(found.values, first * rank);
      first = next;
    }
    return { rank, vectors, values };
  }

  async hammingTopK(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<HammingTopMatches> {
    const { native, count } = signatures as Signatures;
    const most = Math.min(k, count);
    const found = await withCancel(options?.signal, (cancel) =>
      native.hammingTopK(queries, most, cancel),
    );
    return { k: most, ids: found.ids, distances: found.distances };
  }

  async hammingWithin(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    radius: number,
    options?: AcceleratorOptions,
  ): Promise<HammingBallMatches> {
    const { native } = signatures as Signatures;
    return withCancel(options?.signal, (cancel) => native.hammingWithin(queries, radius, cancel));
  }

  async embed(
    table: DeviceVectors,
    ids: Uint32Array,
    offsets: Uint32Array,
    options?: AcceleratorOptions,
  ): Promise<Float32Array> {
    const { native } = table as Vectors;
    return withCancel(options?.signal, (cancel) => native.embed(ids, offsets, cancel));
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  async #upload(
    kind: number,
    rows: Float32Array | BigUint64Array,
    width: number,
  ): Promise<NativeCudaRows> {
    const count = rows.length / width;
    const native = new (loadBinding().CudaRows)(this.#engine, kind, count, width);
    const slice = Math.max(1, Math.floor(SLICE_BYTES / (rows.BYTES_PER_ELEMENT * width))) * width;
    try {
      for (let at = 0; at < rows.length; at += slice) {
        await native.append(rows.subarray(at, at + slice));
      }
    } catch (error) {
      native.dispose();
      throw error;
    }
    return native;
  }
}

class Vectors implements DeviceVectors {
  constructor(
    readonly native: NativeCudaRows,
    readonly count: number,
    readonly dimensions: number,
  ) {}

  dispose(): void {
    this.native.dispose();
  }
}

class Signatures implements DeviceSignatures {
  constructor(
    readonly native: NativeCudaRows,
    readonly count: number,
    readonly bits: number,
  ) {}

  dispose(): void {
    this.native.dispose();
  }
}

/** Larger groups than these are iterated on the device, and that with a limited number of vectors (native/cuda/kernels/singular.h). */
const LARGE = 64;
const MOST_RANK_OF_LARGE = 56;

function checkRank(offsets: Uint32Array, dimensions: number, rank: number): void {
  if (rank <= MOST_RANK_OF_LARGE || dimensions <= LARGE) return;
  if (offsets.some((offset, i) => i > 0 && offset - offsets[i - 1]! > LARGE)) {
    throw new DentateError(
      "DENTATE_UNAVAILABLE",
      `'cuda' gives at most ${MOST_RANK_OF_LARGE} vectors of a group of more than ${LARGE} rows, not ${rank}`,
    );
  }
}

/** The end of the groups from `first` on that have at most `most` rows in all, or of the one that has more. */
function endOfSlice(offsets: Uint32Array, first: number, most: number): number {
  let next = first + 1;
  while (next < offsets.length - 1 && offsets[next + 1]! - offsets[first]! <= most) next++;
  return next;
}
