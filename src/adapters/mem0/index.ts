export {
  importMem0,
  type Mem0ImportOptions,
  type Mem0ImportResult,
} from "../../transfer/mem0/import.js";
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
