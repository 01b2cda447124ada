import { TfjsDriver } from "./driver.js";
import { TFJS_CPU_MANIFEST, TFJS_MANIFEST } from "./manifest.js";
import { chooseTfjs, loadFirstBackend, type TfjsBackend } from "./packages.js";
import { Runtime } from "./runtime.js";

export type { TfjsDriver } from "./driver.js";
export { TFJS_BACKENDS, type TfjsBackend } from "./packages.js";

/** How TensorFlow.js is used. What is not given is read from the environment, or found. */
export interface TfjsOptions {
  /** Only this one; else the first that loads. `DENTATE_TFJS_BACKEND` says the same. */
  readonly backend?: TfjsBackend | undefined;
  /**
   * Where to look for its packages: a folder with `node_modules` in it or above it. Else they are Dentate's peers.
   * `DENTATE_TFJS_FOLDER` says the same.
   */
  readonly folder?: string | undefined;
  /**
   * How much of the device rows may take; others are copied there whenever they are used. Unless given, three
   * quarters of a GPU, 2 GiB of WebAssembly's heap, and no limit where the device is this process.
   */
  readonly memoryBytes?: number | undefined;
}

/**
 * TensorFlow.js on the best backend that this machine has, or on the one that is asked for.
 *
 * @throws AcceleratorUnavailable which says of each backend why not.
 */
export async function loadTfjs({
  backend,
  folder,
  memoryBytes,
}: TfjsOptions = {}): Promise<TfjsDriver> {
  const loaded = await loadFirstBackend(chooseTfjs(backend, folder));
  const runtime = new Runtime(loaded, memoryBytes);
  return new TfjsDriver(runtime, loaded.usesGpu ? TFJS_MANIFEST : TFJS_CPU_MANIFEST);
}
