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
