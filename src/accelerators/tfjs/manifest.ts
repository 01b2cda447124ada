import type { AcceleratorManifest, OperationManifest } from "../accelerator.js";

const FLOAT: OperationManifest = { tolerance: 1e-5, precision: "float32", paysFrom: 1e9 };
const EXACT: OperationManifest = {
  tolerance: 0,
  precision: "exact, as sums of ones in float32",
  paysFrom: 1e9,
};

/** On a GPU; the other backends are slower than `native` whatever the size. */
export const TFJS_MANIFEST: AcceleratorManifest = {
  name: "tfjs",
  operations: {
    cosineTopK: FLOAT,
    firstSingularVectors: FLOAT,
    subspaces: FLOAT,
    hammingTopK: EXACT,
    hammingWithin: EXACT,
    embed: FLOAT,
  },
};

/** What the backends without a GPU promise: never to be faster. */
export const TFJS_CPU_MANIFEST: AcceleratorManifest = neverPaying(TFJS_MANIFEST);

function neverPaying({ name, operations }: AcceleratorManifest): AcceleratorManifest {
  const entries = Object.entries(operations).map(([operation, manifest]) => [
    operation,
    { ...manifest, paysFrom: Number.POSITIVE_INFINITY },
  ]);
  return { name, operations: Object.fromEntries(entries) };
}
