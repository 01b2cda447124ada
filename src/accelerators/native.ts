import { availableParallelism } from "node:os";
import { nextSlice, sliceIsOver } from "../internal/slices.js";
import { type KernelName, loadBinding, type NativeBinding } from "../native/binding.js";
import { withCancel } from "../native/cancel.js";
import type { NativeHammingIndex } from "../native/hamming-binding.js";
import type { NativeVectorTable } from "../native/vector-table-binding.js";
import type {
  AcceleratorDriver,
  AcceleratorManifest,
  AcceleratorOptions,
  CosineMatches,
  DeviceSignatures,
  DeviceVectors,
  HammingBallMatches,
  HammingTopMatches,
  OperationManifest,
  Subspaces,
  VectorGroups,
} from "./accelerator.js";
import { AcceleratorUnavailable } from "./unavailable.js";

/** Proposed in float32 and decided in float64: as good as the reference (native/accelerate/cosine_search.h). */
const ROUNDED: OperationManifest = {
  tolerance: 2 ** -23,
  precision: "float64, rounded to float32",
  paysFrom: 0,
};
const EXACT: OperationManifest = { ...ROUNDED, tolerance: 0, precision: "exact" };

export const NATIVE_MANIFEST: AcceleratorManifest = {
  name: "native",
  operations: {
    cosineTopK: ROUNDED,
    firstSingularVectors: ROUNDED,
    subspaces: ROUNDED,
    hammingTopK: EXACT,
    hammingWithin: EXACT,
    embed: ROUNDED,
  },
};

/** How the native accelerator is made. */
export interface NativeOptions {
  /** The most threads that one operation may use: as many as the machine has, unless given. */
  readonly threads?: number | undefined;
}

/** @throws AcceleratorUnavailable where the addon can't be loaded. */
export async function loadNative(options: NativeOptions = {}): Promise<AcceleratorDriver> {
  let binding: NativeBinding;
  try {
    binding = loadBinding();
  } catch (error) {
    throw new AcceleratorUnavailable((error as Error).message, { cause: error });
  }
  return new NativeDriver(binding, options.threads ?? availableParallelism());
}

const KERNELS: Record<KernelName, string> = {
  scalar: "plain C++",
  neon: "NEON",
  avx2: "AVX2",
  avx512: "AVX-512",
};
/** Of rows that are copied at once: about a millisecond. */
const PIECE_BYTES = 4 << 20;

/** The addon's C++ kernels, off the JavaScript thread. */
class NativeDriver implements AcceleratorDriver {
  readonly manifest = NATIVE_MANIFEST;
  readonly device: string;
  readonly #binding: NativeBinding;
  readonly #threads: number;

  constructor(binding: NativeBinding, threads: number) {
    this.#binding = binding;
    this.#threads = threads;
    const kernel = KERNELS[binding.kernel];
    this.device = threads === 1 ? `${kernel}, 1 thread` : `${kernel}, ${threads} threads`;
  }

  async vectors(rows: Float32Array, dimensions: number): Promise<DeviceVectors> {
    const count = rows.length / dimensions;
    const table = new this.#binding.VectorTable(count, dimensions);
    await inPieces(rows, dimensions, (piece) => table.append(piece));
    return new Vectors(table, count, dimensions);
  }

  async signatures(rows: BigUint64Array, bits: number): Promise<DeviceSignatures> {
    const words = bits / 64;
    const index = new this.#binding.HammingIndex(words);
    await inPieces(rows, words, (piece) => index.add(piece));
    return new Signatures(index, rows.length / words, bits);
  }

  cosineTopK(
    queries: Float32Array,
    vectors: DeviceVectors,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<CosineMatches> {
    const { table } = vectors as Vectors;
    return cancellable(options, (cancel) =>
      table.cosineTopKAsync(queries, k, this.#threads, cancel),
    );
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
    const { vectors, values } = await cancellable(options, (cancel) =>
      this.#binding.VectorTable.singularVectorsAsync(
        rows,
        dimensions,
        offsets,
        rank,
        this.#threads,
        cancel,
      ),
    );
    return { rank, vectors, values };
  }

  async hammingTopK(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<HammingTopMatches> {
    const { index, count } = signatures as Signatures;
    const { ids, distances } = await cancellable(options, (cancel) =>
      index.nearestAsync(queries, k, this.#threads, cancel),
    );
    return { k: Math.min(k, count), ids, distances };
  }

  hammingWithin(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    radius: number,
    options?: AcceleratorOptions,
  ): Promise<HammingBallMatches> {
    const { index } = signatures as Signatures;
    return cancellable(options, (cancel) =>
      index.withinAsync(queries, radius, this.#threads, cancel),
    );
  }

  embed(
    table: DeviceVectors,
    ids: Uint32Array,
    offsets: Uint32Array,
    options?: AcceleratorOptions,
  ): Promise<Float32Array> {
    const native = (table as Vectors).table;
    return cancellable(options, (cancel) =>
      native.unitRowSumsAsync(ids, offsets, this.#threads, cancel),
    );
  }

  async close(): Promise<void> {}
}

class Vectors implements DeviceVectors {
  readonly table: NativeVectorTable;
  readonly count: number;
  readonly dimensions: number;

  constructor(table: NativeVectorTable, count: number, dimensions: number) {
    this.table = table;
    this.count = count;
    this.dimensions = dimensions;
  }

  dispose(): void {
    this.table.release();
  }
}

class Signatures implements DeviceSignatures {
  readonly index: NativeHammingIndex;
  readonly count: number;
  readonly bits: number;

  constructor(index: NativeHammingIndex, count: number, bits: number) {
    this.index = index;
    this.count = count;
    this.bits = bits;
  }

  dispose(): void {
    this.index.release();
  }
}

/** Whole rows at a time, so that the event loop has its turns. */
async function inPieces<T extends Float32Array | BigUint64Array>(
  rows: T,
  width: number,
  take: (piece: T) => void,
): Promise<void> {
  const step = width * Math.max(1, Math.floor(PIECE_BYTES / (width * rows.BYTES_PER_ELEMENT)));
  for (let at = 0; at < rows.length; at += step) {
    if (sliceIsOver()) await nextSlice();
    take(rows.subarray(at, at + step) as T);
  }
}

async function cancellable<T>(
  options: AcceleratorOptions | undefined,
  run: (cancel: Int32Array | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await withCancel(options?.signal, run);
  } catch (error) {
    options?.signal?.throwIfAborted();
    throw error;
  }
}
