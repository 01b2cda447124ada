import type { Memory } from "../../memory.js";
import type { JsonObject } from "../../types.js";
import { Collections } from "../points/collections.js";
import type { HeldPoint, PointBank, Scored } from "../points/point-bank.js";
import { isEverything, type QdrantFilter, toPredicate } from "./filter.js";
import type {
  QdrantAsked,
  QdrantCollectionParams,
  QdrantFoundPoint,
  QdrantId,
  QdrantPoint,
  QdrantScoredPoint,
  QdrantShown,
  QdrantVector,
} from "./types.js";

/** How a client is made. */
export interface DentateQdrantOptions {
  readonly memory: Memory;
  /** What the names of its banks begin with; `mem0/` unless given. */
  readonly prefix?: string | undefined;
}

/** A failure as Qdrant's own client reports it: callers look at `status`. */
class QdrantStatusError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const PREFIX = "mem0/";
const DEFAULT_LIMIT = 10;
/** The score of a text that holds every word of the question, where BM25 of short texts has its upper end. */
const BEST_KEYWORD_SCORE = 20;
const COMPLETED = { operation_id: 0, status: "completed" } as const;

/**
 * What mem0's own memory (`mem0ai/oss`) takes for a Qdrant client, on a memory of ours:
 *
 * ```ts
 * const client = new DentateQdrant({ memory: await Memory.open("./agent-memory") });
 * const mem0 = new Mem0({
 *   vectorStore: { provider: "qdrant", config: { client, collectionName: "memories", dimension: 1536 } },
 * });
 * ```
 *
 * A collection is a bank, whose points are entries: what mem0 remembers can be recalled from the bank
 * `mem0/memories` as well. Vectors are mem0's; searching with them is exact, and a filter is applied before
 * ranking. Its keyword searches are recalls, without vectors.
 */
export class DentateQdrant {
  readonly #collections: Collections;

  constructor({ memory, prefix = PREFIX }: DentateQdrantOptions) {
    this.#collections = new Collections(memory, prefix);
  }

  /** Their names. */
  async getCollections(): Promise<{ collections: { name: string }[] }> {
    const names = await this.#collections.names();
    return { collections: names.map((name) => ({ name })) };
  }

  /** What a collection was made with, and how many points it has. */
  async getCollection(name: string) {
    const params = await this.#settings(name);
    const count = (await this.#collections.points(name).points()).length;
    return { status: "green" as const, points_count: count, config: { params } };
  }

  /** Whether there is one of this name. */
  async collectionExists(name: string): Promise<{ exists: boolean }> {
    return { exists: (await this.#collections.settings(name)) !== undefined };
  }

  /** Makes one; rejects with status 409 where there is one of this name. */
  async createCollection(name: string, params: QdrantCollectionParams): Promise<boolean> {
    const { vectors, sparse_vectors: sparse } = params;
    if (vectors?.distance !== "Cosine" || !Number.isInteger(vectors.size) || vectors.size < 1) {
      throw new QdrantStatusError(400, "vectors: expected one vector of a size, by Cosine");
    }
    const { size, distance } = vectors;
    const settings = {
      vectors: { size, distance },
      ...(sparse !== undefined && { sparse_vectors: sparse as JsonObject }),
    };
    if (await this.#collections.create(name, settings)) return true;
    throw new QdrantStatusError(409, `collection '${name}' already exists`);
  }

  /** Deletes one with its points; false where there is none. */
  async deleteCollection(name: string): Promise<boolean> {
    return this.#collections.delete(name);
  }

  /** Every field can be filtered by as it is. */
  async createPayloadIndex(name: string, _index: object): Promise<typeof COMPLETED> {
    await this.#settings(name);
    return COMPLETED;
  }

  /** Adds points, or replaces those of the same ids. */
  async upsert(
    name: string,
    { points }: { readonly points: readonly QdrantPoint[] },
  ): Promise<typeof COMPLETED> {
    const { vectors } = await this.#settings(name);
    const checked = points.map(({ id, vector, payload }) => ({
      id,
      vector: denseOf(vector, vectors.size),
      payload: JSON.parse(JSON.stringify(payload ?? {})) as JsonObject,
    }));
    await this.#collections.points(name).upsert(checked, textOf);
    return COMPLETED;
  }

  /** The points nearest to a vector, of those that the filter selects. */
  async search(
    name: string,
    { vector, ...asked }: QdrantAsked & { readonly vector: QdrantVector },
  ): Promise<QdrantScoredPoint[]> {
    return this.#nearest(name, vector, asked);
  }

  /** By a vector, or by the text that a model of Qdrant's would make a sparse vector of: that is a recall. */
  async query(
    name: string,
    { query, ...asked }: QdrantAsked & { readonly query: QdrantVector; readonly using?: string },
  ): Promise<{ points: QdrantScoredPoint[] }> {
    const text = (query as { readonly text?: unknown }).text;
    if (typeof text !== "string") return { points: await this.#nearest(name, query, asked) };
    await this.#settings(name);
    const { limit = DEFAULT_LIMIT, offset = 0 } = asked;
    const points = this.#collections.points(name);
    const found = await points.searchText(text, offset + limit, toPredicate(asked.filter));
    const scaled = found.map(([point, score]): Scored => [point, score * BEST_KEYWORD_SCORE]);
    return { points: showAll(scaled, asked) };
  }

  /** Points by their ids; those that are not there are left out. */
  async retrieve(
    name: string,
    { ids, ...shown }: QdrantShown & { readonly ids: readonly QdrantId[] },
  ): Promise<QdrantFoundPoint[]> {
    await this.#settings(name);
    const points = await this.#collections.points(name).get(ids);
    return points.map((point) => show(point, shown));
  }

  /** Oldest first. */
  async scroll(
    name: string,
    asked: QdrantShown & {
      readonly filter?: QdrantFilter | null | undefined;
      readonly limit?: number | undefined;
      readonly offset?: QdrantId | null | undefined;
    } = {},
  ): Promise<{ points: QdrantFoundPoint[]; next_page_offset: QdrantId | null }> {
    await this.#settings(name);
    const { limit = DEFAULT_LIMIT, offset, filter } = asked;
    const points = (await this.#collections.points(name).points()).filter(toPredicate(filter));
    const start = offset === undefined || offset === null ? 0 : indexOf(points, offset);
    return {
      points: points.slice(start, start + limit).map((point) => show(point, asked)),
      next_page_offset: points[start + limit]?.id ?? null,
    };
  }

  /** Deletes the points named, or those that the filter selects; one without a condition is a mistake. */
  async delete(
    name: string,
    { points, filter }: { readonly points?: readonly QdrantId[]; readonly filter?: QdrantFilter },
  ): Promise<typeof COMPLETED> {
    await this.#settings(name);
    if (points === undefined && filter === undefined) {
      throw new TypeError("delete: expected points or filter");
    }
    const selects =
      points === undefined ? toPredicate(filter) : toPredicate({ must: { has_id: points } });
    if (points === undefined && isEverything(filter!)) {
      throw new TypeError("filter: expected at least one condition, got none");
    }
    await this.#collections.points(name).delete(selects);
    return COMPLETED;
  }

  async #nearest(
    name: string,
    vector: QdrantVector,
    asked: QdrantAsked,
  ): Promise<QdrantScoredPoint[]> {
    const { vectors } = await this.#settings(name);
    const { limit = DEFAULT_LIMIT, offset = 0, filter } = asked;
    const points: PointBank = this.#collections.points(name);
    const query = denseOf(vector, vectors.size);
    const found = await points.search(query, offset + limit, "cosine", toPredicate(filter));
    return showAll(found, asked);
  }

  async #settings(name: string): Promise<QdrantCollectionParams> {
    const settings = await this.#collections.settings(name);
    if (settings !== undefined) return settings as unknown as QdrantCollectionParams;
    throw new QdrantStatusError(404, `collection '${name}' doesn't exist`);
  }
}

/** What mem0 remembers is the `data` of a payload. */
function textOf({ data }: JsonObject): string {
  return typeof data === "string" ? data : "";
}

function denseOf(given: QdrantVector, size: number): readonly number[] {
  const dense = (Array.isArray(given) ? given : (given as { ""?: unknown })?.[""]) as unknown;
  if (!Array.isArray(dense) || !dense.every(Number.isFinite)) {
    throw new QdrantStatusError(400, "vector: expected finite numbers");
  }
  if (dense.length === size) return dense as number[];
  throw new QdrantStatusError(400, `vector: expected ${size} dimensions, got ${dense.length}`);
}

function indexOf(points: readonly HeldPoint[], id: QdrantId): number {
  const index = points.findIndex((point) => point.id === id);
  return index === -1 ? points.length : index;
}

function showAll(found: readonly Scored[], asked: QdrantAsked): QdrantScoredPoint[] {
  const { offset = 0, score_threshold: least = Number.NEGATIVE_INFINITY } = asked;
  return found
    .slice(offset)
    .filter(([, score]) => score >= least)
    .map(([point, score]) => ({ ...show(point, asked), score }));
}

function show(point: HeldPoint, shown: QdrantShown): QdrantFoundPoint {
  return {
    id: point.id,
    ...(shown.with_payload !== false && { payload: structuredClone(point.payload) }),
    ...(shown.with_vector === true && { vector: Array.from(point.vector) }),
  };
}
