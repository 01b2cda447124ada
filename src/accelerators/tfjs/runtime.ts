import { nextSlice, sliceIsOver } from "../../internal/slices.js";
import type { AcceleratorOptions } from "../accelerator.js";
import type { LoadedBackend, TfjsBackend } from "./packages.js";
import type { Tensor, TensorValues, TfCore } from "./tf-core.js";

/**
 * How much is done at once. All of tfjs runs on the JavaScript thread, or makes it wait, so that work is cut
 * into tiles, and the event loop has a turn between two. A tile takes about 5 ms on a processor of 2024.
 */
interface Pace {
  /** Numbers of a block of rows: what stays on the device as one tensor. */
  readonly block: number;
  /** Multiply-adds of a tile. */
  readonly tile: number;
  /** Products of a tile, among which the best are looked for: in JavaScript, on wasm and cpu. */
  readonly products: number;
}

const PACES: Readonly<Record<TfjsBackend | "gpu", Pace>> = {
  cpu: { block: 2 ** 20, tile: 2 ** 21, products: 2 ** 17 },
  wasm: { block: 2 ** 22, tile: 2 ** 26, products: 2 ** 19 },
  node: { block: 2 ** 24, tile: 2 ** 28, products: 2 ** 22 },
  "node-gpu": { block: 2 ** 24, tile: 2 ** 28, products: 2 ** 22 },
  gpu: { block: 2 ** 26, tile: 2 ** 35, products: 2 ** 26 },
};

/** A wasm heap ends at 4 GiB, and what is computed needs room too. */
const WASM_BYTES = 2 * 2 ** 30;
/** Of a GPU whose size nobody says. */
const UNKNOWN_GPU_BYTES = 4 * 2 ** 30;
/** How much of a GPU's memory rows may take. */
const GPU_SHARE = 0.75;

/** From this many multiply-adds a matrix on, wasm is faster one matrix at a time: 16 times at 32 x 384 x 32. */
const LARGE_ITEM = 2 ** 16;

/**
 * A backend, and what all operations need of it: work in a scope that leaves no tensors behind, memory that is
 * accounted for, and products that are fast where tfjs has a slow way and a fast one.
 *
 * tfjs has one current backend for the whole process, which may be somebody else's: each piece of
 * work makes its own the current one, and puts the other back.
 */
export class Runtime {
  readonly tf: TfCore;
  readonly loaded: LoadedBackend;
  readonly pace: Pace;
  readonly #memoryBytes: number;
  #usedBytes = 0;

  constructor(loaded: LoadedBackend, memoryBytes: number | undefined) {
    this.tf = loaded.tf;
    this.loaded = loaded;
    this.pace = PACES[loaded.usesGpu ? "gpu" : loaded.name];
    this.#memoryBytes = memoryBytes ?? memoryOf(loaded);
  }

  /** Whether rows may take so many bytes of the device: they are then counted. */
  reserve(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#memoryBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }

  /** Runs `work`; of the tensors that it makes only those live on that it returns or keeps. */
  run<T>(work: (tf: TfCore) => T): T {
    const { tf, loaded } = this;
    const before = tf.getBackend();
    const isOther = before !== loaded.registeredAs;
    // One that has started is the current one when the call returns: nothing is awaited.
    if (isOther) void tf.setBackend(loaded.registeredAs);
    try {
      return tf.tidy(() => work(tf));
    } finally {
      if (isOther && before) void tf.setBackend(before);
    }
  }

  /** Runs `work` and copies what it returns from the device. */
  async read(work: (tf: TfCore) => Tensor[]): Promise<TensorValues[]> {
    const tensors = this.run(work);
    try {
      return await Promise.all(tensors.map((tensor) => tensor.data()));
    } finally {
      for (const tensor of tensors) tensor.dispose();
    }
  }

  /** Between two tiles: the event loop's turn, in which a signal can fire. */
  async breathe(options: AcceleratorOptions | undefined): Promise<void> {
    options?.signal?.throwIfAborted();
    if (!sliceIsOver()) return;
    await nextSlice();
    options?.signal?.throwIfAborted();
  }

  /** Of each query with each row the product: queries x rows. */
  products(queries: Tensor, rows: Tensor): Tensor {
    const { tf } = this;
    if (this.loaded.name !== "wasm") return tf.matMul(queries, rows, false, true);
    // The one fast way there: two matrices, none of them to be transposed.
    return tf.transpose(tf.matMul(rows, tf.transpose(queries)));
  }

  /** Of each pair of matrices the product; `b` is transposed first where `transposed`. */
  multiply(a: Tensor, b: Tensor, transposed = false): Tensor {
    const { tf } = this;
    const [, m, d] = a.shape as [number, number, number];
    const n = b.shape[transposed ? 1 : 2]!;
    if (this.loaded.name !== "wasm" || m * d * n < LARGE_ITEM) {
      return tf.matMul(a, b, false, transposed);
    }
    const second = transposed ? tf.transpose(b, [0, 2, 1]) : b;
    // `unstack` would copy all of it for each.
    const item = (of: Tensor, i: number) => tf.gather(of, tf.scalar(i, "int32"));
    const products = Array.from({ length: a.shape[0]! }, (_, i) =>
      tf.tidy(() => tf.matMul(item(a, i), item(second, i))),
    );
    return tf.stack(products);
  }
}

function memoryOf({ name, usesGpu, memoryBytes }: LoadedBackend): number {
  if (usesGpu) return memoryBytes === undefined ? UNKNOWN_GPU_BYTES : memoryBytes * GPU_SHARE;
  // The others compute in this process's own memory: what is not on the device is beside it.
  return name === "wasm" ? WASM_BYTES : Number.POSITIVE_INFINITY;
}

/** A tensor that is replaced by another one now and then. */
export class Held {
  #tensor: Tensor;

  constructor(tensor: Tensor) {
    this.#tensor = tensor;
  }

  get tensor(): Tensor {
    return this.#tensor;
  }

  replace(tensor: Tensor): void {
    this.#tensor.dispose();
    this.#tensor = tensor;
  }

  dispose(): void {
    this.#tensor.dispose();
  }
}
