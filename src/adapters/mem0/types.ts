import type { JsonObject } from "../../types.js";
import type { QdrantFilter } from "./filter.js";

/** What goes to a client of Qdrant's and comes back, as far as mem0 makes use of it. */

/** Of a point. */
export type QdrantId = string | number;

/** A vector, or several by name: the one called "" counts. */
export type QdrantVector = readonly number[] | { readonly [name: string]: unknown };

/** A point to keep. */
export interface QdrantPoint {
  readonly id: QdrantId;
  readonly vector: QdrantVector;
  readonly payload?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What of a point is wanted. */
export interface QdrantShown {
  readonly with_payload?: boolean | undefined;
  readonly with_vector?: boolean | undefined;
}

/** Which points are wanted. */
export interface QdrantAsked extends QdrantShown {
  readonly filter?: QdrantFilter | null | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly score_threshold?: number | undefined;
}

/** A point that was kept. */
export interface QdrantFoundPoint {
  readonly id: QdrantId;
  readonly payload?: JsonObject;
  readonly vector?: number[];
}

/** One that was searched for. */
export interface QdrantScoredPoint extends QdrantFoundPoint {
  readonly score: number;
}

/** What a collection is made with. */
export interface QdrantCollectionParams {
  readonly vectors: { readonly size: number; readonly distance: string };
  readonly sparse_vectors?: object | undefined;
}
