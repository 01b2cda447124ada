import { fileURLToPath } from "node:url";
import { expected, outOfRange } from "../../internal/check.js";
import { AcceleratorUnavailable } from "../unavailable.js";
import { TfjsDriver } from "./driver.js";
import { TFJS_CPU_MANIFEST, TFJS_MANIFEST } from "./manifest.js";
import { type LoadedBackend, loadBackend, TFJS_BACKENDS, type TfjsBackend } from "./packages.js";
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
  const forced = checkBackend(backend ?? (process.env["DENTATE_TFJS_BACKEND"] || undefined));
  const from = folder ?? (process.env["DENTATE_TFJS_FOLDER"] || undefined);
  const loaded = await firstOf(
    forced === undefined ? TFJS_BACKENDS : [forced],
    from ?? fileURLToPath(new URL(".", import.meta.url)),
  );
  const runtime = new Runtime(loaded, memoryBytes);
  return new TfjsDriver(runtime, loaded.usesGpu ? TFJS_MANIFEST : TFJS_CPU_MANIFEST);
}

async function firstOf(names: readonly TfjsBackend[], folder: string): Promise<LoadedBackend> {
  const reasons: string[] = [];
  for (const name of names) {
    try {
      return await loadBackend(name, folder);
    } catch (error) {
      if (!(error instanceof AcceleratorUnavailable)) throw error;
      reasons.push(error.message);
    }
  }
  throw new AcceleratorUnavailable([...new Set(reasons)].join("; "));
}

function checkBackend(given: string | undefined): TfjsBackend | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== "string") throw expected("backend", "a string", given);
  const backend = TFJS_BACKENDS.find((known) => known === given);
  if (backend === undefined)
    throw outOfRange("backend", `one of ${TFJS_BACKENDS.join(", ")}`, given);
  return backend;
}
