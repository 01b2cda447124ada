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
  OPERATIONS,
  type Operation,
  type OperationManifest,
  type Subspaces,
  type VectorGroups,
} from "./accelerator.js";
export { Accelerator, type OperationUse } from "./checked.js";
export { loadAccelerator, type RefusedAccelerator } from "./load.js";
export { type Selection, type SelectOptions, selectAccelerator } from "./select.js";
export { AcceleratorUnavailable } from "./unavailable.js";
