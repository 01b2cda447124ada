export {
  type AtomAdded,
  type AtomAddOptions,
  type AtomCalibrateOptions,
  type AtomGate,
  AtomIndex,
  type AtomIndexOptions,
  type AtomMatches,
  type AtomNearestAsyncOptions,
  type AtomNearestOptions,
  type AtomPolicy,
  type AtomRule,
  type AtomSizes,
  type AtomStorage,
  type MemberMatches,
} from "./atom-index.js";
export {
  DynamicWaveletMatrix,
  type DynamicWaveletMatrixOptions,
  NOT_FOUND,
  type OccurrencesOptions,
  type SymbolCounts,
} from "./dynamic-wavelet-matrix.js";
export {
  type HammingAsyncOptions,
  type HammingHashOptions,
  HammingIndex,
  type HammingIndexOptions,
  type HammingMatches,
  type HammingMatchesMany,
  type HammingSearchOptions,
} from "./hamming-index.js";
