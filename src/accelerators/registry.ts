import type { AcceleratorDriver, AcceleratorManifest, AcceleratorName } from "./accelerator.js";
import { CUDA_MANIFEST, loadCuda } from "./cuda/index.js";
import { GPUJS_MANIFEST, loadGpujs } from "./gpujs/index.js";
import { loadNative, NATIVE_MANIFEST } from "./native.js";
import { loadReference, REFERENCE_MANIFEST } from "./reference.js";
import { loadTfjs } from "./tfjs/index.js";
import { TFJS_MANIFEST } from "./tfjs/manifest.js";

/** An accelerator that this package has, loaded or not. */
export interface RegisteredAccelerator {
  readonly manifest: AcceleratorManifest;
  /** @throws AcceleratorUnavailable where this machine can't run it. */
  readonly load: () => Promise<AcceleratorDriver>;
}

/** All of them, by name. */
export const REGISTRY: ReadonlyMap<AcceleratorName, RegisteredAccelerator> = new Map([
  ["cuda", { manifest: CUDA_MANIFEST, load: () => loadCuda() }],
  ["native", { manifest: NATIVE_MANIFEST, load: () => loadNative() }],
  ["tfjs", { manifest: TFJS_MANIFEST, load: loadTfjs }],
  ["gpujs", { manifest: GPUJS_MANIFEST, load: () => loadGpujs() }],
  ["reference", { manifest: REFERENCE_MANIFEST, load: loadReference }],
]);
