export { DentateQdrant, type DentateQdrantOptions } from "./client.js";
export type {
  QdrantClause,
  QdrantCondition,
  QdrantFilter,
  QdrantMatch,
  QdrantRange,
} from "./filter.js";
export type {
  QdrantAsked,
  QdrantCollectionParams,
  QdrantFoundPoint,
  QdrantId,
  QdrantPoint,
  QdrantScoredPoint,
  QdrantShown,
  QdrantVector,
} from "./types.js";
