export {
  type HammingAsyncOptions,
  type HammingHashOptions,
  HammingIndex,
  type HammingIndexOptions,
  type HammingMatches,
  type HammingMatchesMany,
  type HammingSearchOptions,
} from "./hamming-index.js";
