import type { AcceleratorManifest } from "../accelerator.js";

export const GPUJS_MANIFEST: AcceleratorManifest = {
  name: "gpujs",
  operations: {
    cosineTopK: {
      tolerance: 1e-5,
      precision: "float32",
      paysFrom: Number.POSITIVE_INFINITY,
    },
    hammingTopK: {
      tolerance: 0,
      precision: "16-bit halves in float32, exact",
      paysFrom: Number.POSITIVE_INFINITY,
    },
    hammingWithin: {
      tolerance: 0,
      precision: "16-bit halves in float32, exact",
      paysFrom: Number.POSITIVE_INFINITY,
    },
  },
};
