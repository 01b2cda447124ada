import type { AcceleratorDriver, AcceleratorManifest, AcceleratorName } from "./accelerator.js";
import { CUDA_MANIFEST } from "./cuda/manifest.js";
import { GPUJS_MANIFEST } from "./gpujs/manifest.js";
import { loadNative, NATIVE_MANIFEST } from "./native.js";
import { loadReference, REFERENCE_MANIFEST } from "./reference.js";
import { TFJS_MANIFEST } from "./tfjs/manifest.js";

/** An accelerator that this package has, loaded or not. */
export interface RegisteredAccelerator {
  readonly manifest: AcceleratorManifest;
  /** @throws AcceleratorUnavailable where this machine can't run it. */
  readonly load: () => Promise<AcceleratorDriver>;
}

/** All of them, by name. What drives a device is imported when somebody wants it: few do. */
export const REGISTRY: ReadonlyMap<AcceleratorName, RegisteredAccelerator> = new Map([
  [
    "cuda",
    { manifest: CUDA_MANIFEST, load: async () => (await import("./cuda/load.js")).loadCuda() },
  ],
  ["native", { manifest: NATIVE_MANIFEST, load: () => loadNative() }],
  [
    "tfjs",
    { manifest: TFJS_MANIFEST, load: async () => (await import("./tfjs/index.js")).loadTfjs() },
  ],
  [
    "gpujs",
    { manifest: GPUJS_MANIFEST, load: async () => (await import("./gpujs/index.js")).loadGpujs() },
  ],
  ["reference", { manifest: REFERENCE_MANIFEST, load: loadReference }],
]);
