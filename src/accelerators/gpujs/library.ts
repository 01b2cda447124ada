import { AcceleratorUnavailable } from "../unavailable.js";

/** What is used of gpu.js. Its own types would make it a dependency of ours. */
export interface GpuLibrary {
  readonly GPU: new (settings: { readonly mode: string }) => Gpu;
  input(values: Float32Array, size: readonly number[]): GpuInput;
}

export interface Gpu {
  createKernel(source: string, settings: KernelSettings): GpuKernel;
  destroy(): Promise<void>;
}

/** Numbers and their shape, the fastest axis first. */
export interface GpuInput {
  readonly value: Float32Array;
}

export interface KernelSettings {
  readonly output: readonly number[];
  readonly precision: "single" | "unsigned";
  readonly asyncMode: true;
  readonly constants?: Readonly<Record<string, GpuInput>>;
}

export interface GpuKernel {
  (...values: readonly GpuInput[]): Promise<Float32Array>;
  /** What it was compiled to, once it has run: another class than the mode's where gpu.js fell back. */
  readonly kernel: { readonly constructor: { readonly name: string } };
  destroy(): void;
}

/** Loads the package, an optional peer. */
export async function loadLibrary(): Promise<GpuLibrary> {
  try {
    const library: unknown = await import("gpu.js");
    return library as GpuLibrary;
  } catch (cause) {
    const reason = `the package gpu.js can't be loaded: ${firstLine(cause)}`;
    throw new AcceleratorUnavailable(reason, { cause });
  }
}

/** Of what was thrown: messages of graphics drivers go on for pages. */
export function firstLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split("\n", 1)[0] ?? "";
}
