import { createRequire } from "node:module";
import { DentateError } from "../errors.js";
import { addonPath } from "./addon-path.js";
import type { NativeAtomIndexClass } from "./atoms-binding.js";
import type { NativeCudaEngineClass, NativeCudaRowsClass } from "./cuda-binding.js";
import type { NativeHammingIndexClass } from "./hamming-binding.js";
import { isCutOff } from "./library-file.js";
import type { NativeSignatureEncoderClass } from "./signatures-binding.js";
import type { NativeStoreClass } from "./store-binding.js";
import type { NativeTokenizerClass } from "./tokenizer-binding.js";
import type { NativeTurnEncoderClass, NativeTurnListClass } from "./turn-encoder-binding.js";
import { brokenAddon, missingAddon } from "./unusable-addon.js";
import type { NativeVectorTableClass } from "./vector-table-binding.js";
import type { NativeDynamicWaveletMatrixClass } from "./wavelet-binding.js";

const KERNELS = ["scalar", "neon", "avx2", "avx512"] as const;
/** An instruction set, as `native/core/cpu.h` names it. */
export type KernelName = (typeof KERNELS)[number];

/** Everything native/napi/addon.cc exports. One file beside this one types each class. */
export interface NativeBinding {
  readonly kernel: KernelName;
  readonly kernels: readonly KernelName[];
  readonly errorCodes: readonly string[];
  readonly AtomIndex: NativeAtomIndexClass;
  readonly CudaEngine: NativeCudaEngineClass;
  readonly CudaRows: NativeCudaRowsClass;
  readonly HammingIndex: NativeHammingIndexClass;
  readonly Tokenizer: NativeTokenizerClass;
  readonly Store: NativeStoreClass;
  readonly TurnEncoder: NativeTurnEncoderClass;
  readonly TurnList: NativeTurnListClass;
  readonly SignatureEncoder: NativeSignatureEncoderClass;
  readonly VectorTable: NativeVectorTableClass;
  readonly DynamicWaveletMatrix: NativeDynamicWaveletMatrixClass;
  initialize(errorClass: typeof DentateError): void;
  /** `native/core/free_memory.h`: for programs, not for a library in one. */
  keepLargeBlocksApart(): void;
}

let binding: NativeBinding | undefined;

/**
 * Loads the addon on first use, so that importing the package never fails.
 *
 * @throws {@link DentateError} `DENTATE_UNAVAILABLE` where the binary is missing or cannot load.
 * @throws RangeError: DENTATE_KERNEL names no kernel.
 */
export function loadBinding(): NativeBinding {
  if (binding === undefined) {
    binding = requireAddon();
    binding.initialize(DentateError);
  }
  return binding;
}

function requireAddon(): NativeBinding {
  checkForcedKernel();
  const path = addonPath();
  if (path === undefined) throw missingAddon();
  try {
    if (isCutOff(path)) throw new Error("the file is cut off");
    return createRequire(import.meta.url)(path) as NativeBinding;
  } catch (cause) {
    throw brokenAddon(path, cause);
  }
}

/**
 * A name that no kernel has is a slip, and is told. One that this CPU lacks is passed over by the addon: the
 * variable may be set for machines of several kinds.
 */
function checkForcedKernel(): void {
  const forced = process.env["DENTATE_KERNEL"];
  if (forced === undefined || forced === "" || KERNELS.some((name) => name === forced)) return;
  throw new RangeError(`DENTATE_KERNEL: expected one of ${KERNELS.join(", ")}, got '${forced}'`);
}
