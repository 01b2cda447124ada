/**
 * What of an atom a question is compared with: the four rules A to D of the paper, as we read them
 * (native/atoms/atom_index.h). In the order of native code's own numbers.
 */
export const RETRIEVAL_RULES = [
  "first-singular-vector",
  "centroid",
  "subspace",
  "best-member",
] as const;
/** One of {@link RETRIEVAL_RULES}. */
export type RetrievalRule = (typeof RETRIEVAL_RULES)[number];
