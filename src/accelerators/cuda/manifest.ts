import type { AcceleratorManifest, OperationManifest } from "../accelerator.js";

/**
 * An estimate, until it has been measured on a GPU: a call costs some 50 µs before it computes anything
 * (launches, two ways over the bus), and from these sizes on two CPU threads take longer than that.
 */
const exact: OperationManifest = { tolerance: 0, precision: "exact", paysFrom: 4e6 };
const rescored: OperationManifest = {
  tolerance: 1e-6,
  precision: "fp16 in, float32 sums to propose; float64 to order",
  paysFrom: 4e6,
};
const float64: OperationManifest = { tolerance: 1e-6, precision: "float64", paysFrom: 1e7 };

/** What the plugin can do; native/cuda says how, and how fast it could be. */
export const CUDA_MANIFEST: AcceleratorManifest = {
  name: "cuda",
  operations: {
    cosineTopK: rescored,
    firstSingularVectors: float64,
    subspaces: float64,
    hammingTopK: exact,
    hammingWithin: exact,
    embed: { ...float64, paysFrom: 1e7 },
  },
};
