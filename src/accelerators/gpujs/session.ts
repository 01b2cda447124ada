import type { Kernels } from "./kernels.js";
import { KEPT_ROWS, PASSED_ROWS } from "./kernels.js";
import type { Gpu, GpuInput, GpuKernel, GpuLibrary } from "./library.js";

/** The modes of gpu.js that a Node.js process can have, in the order in which they are tried. */
export const GPUJS_MODES = ["webgpu", "headlessgl", "webasm", "cpu"] as const;
/** One of {@link GPUJS_MODES}. */
export type GpujsMode = (typeof GPUJS_MODES)[number];

/** What gpu.js compiles to in each mode. Where it can't, it takes another and only warns. */
const KERNEL_CLASSES: Readonly<Record<GpujsMode, string>> = {
  webgpu: "WebGPUKernel",
  headlessgl: "HeadlessGLKernel",
  webasm: "WebAssemblyKernel",
  cpu: "CPUKernel",
};

/**
 * Kernels that can hold rows at once. Each is a WebAssembly memory, of which a process has room for
 * about a hundred whatever their sizes (10 GiB of addresses each), or a program of its own on a GPU.
 */
const MOST_KEPT = 32;

/** What a session may take, and how it cuts rows. */
export interface SessionLimits {
  /** Bytes of rows that are kept where they are computed with. */
  readonly memoryLimit: number;
  /** Numbers in a tile: at most 2^24, beyond which float32 can't tell addresses apart. */
  readonly tileNumbers: number;
}

/** gpu.js in one mode, and the memory that it may fill with rows. */
export class Session {
  readonly #library: GpuLibrary;
  readonly #gpu: Gpu;
  #keptBytes = 0;
  #kept = 0;

  /** @throws whatever gpu.js throws where it has no such mode. */
  constructor(
    library: GpuLibrary,
    readonly mode: GpujsMode,
    readonly kernels: Kernels,
    readonly limits: SessionLimits,
  ) {
    this.#library = library;
    this.#gpu = new library.GPU({ mode });
  }

  /** Numbers as a kernel takes them. */
  input(values: Float32Array, size: readonly number[]): GpuInput {
    return this.#library.input(values, size);
  }

  /** A kernel that holds `count` rows, uploaded when it first runs; undefined where there is no room left. */
  keep(source: (rows: string) => string, count: number, rows: GpuInput): GpuKernel | undefined {
    const bytes = rows.value.byteLength;
    if (this.#kept === MOST_KEPT || this.#keptBytes + bytes > this.limits.memoryLimit) return;
    this.#kept++;
    this.#keptBytes += bytes;
    return this.#gpu.createKernel(source(KEPT_ROWS), {
      ...this.#settings(count),
      constants: { rows },
    });
  }

  /** Gives back what {@link keep} gave. */
  release(kernel: GpuKernel, rows: GpuInput): void {
    this.#kept--;
    this.#keptBytes -= rows.value.byteLength;
    kernel.destroy();
  }

  /** A kernel that is given `count` rows with each query. */
  pass(source: (rows: string) => string, count: number): GpuKernel {
    return this.#gpu.createKernel(source(PASSED_ROWS), this.#settings(count));
  }

  /** @throws where gpu.js runs a kernel in another mode than this. */
  assertMode(kernel: GpuKernel): void {
    const { name } = kernel.kernel.constructor;
    if (name !== KERNEL_CLASSES[this.mode]) throw new Error(`gpu.js runs it as ${name}`);
  }

  async close(): Promise<void> {
    await this.#gpu.destroy();
  }

  #settings(count: number) {
    return { output: [count], precision: this.kernels.precision, asyncMode: true } as const;
  }
}
