export {
  ACCELERATORS,
  type AcceleratorDriver,
  type AcceleratorManifest,
  type AcceleratorName,
  type AcceleratorOptions,
  type CosineMatches,
  type DeviceSignatures,
  type DeviceVectors,
  type HammingBallMatches,
  type HammingTopMatches,
  NEGLIGIBLE,
  OPERATIONS,
  type Operation,
  type OperationManifest,
  type Subspaces,
  type VectorGroups,
} from "./accelerator.js";
export { Accelerator, type OperationUse } from "./checked.js";
export type { Crossovers } from "./crossover.js";
export { loadAccelerator, type RefusedAccelerator } from "./load.js";
export { measureCrossovers } from "./measure-crossovers.js";
export { type Selection, type SelectOptions, selectAccelerator } from "./select.js";
export { AcceleratorUnavailable } from "./unavailable.js";
