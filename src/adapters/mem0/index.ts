export { DentateQdrant, type DentateQdrantOptions } from "./client.js";
export type { QdrantCondition, QdrantFilter, QdrantMatch, QdrantRange } from "./filter.js";
