import { randomUUID } from "node:crypto";
import { expected } from "../../internal/check.js";
import type { JsonObject } from "../../types.js";
import type { Collections } from "../points/collections.js";
import type { HeldPoint } from "../points/point-bank.js";
import type { Metric } from "../points/similarity.js";
import { isEverything, toPredicate } from "./filter.js";

type Metadata = Readonly<Record<string, unknown>>;
type Named = { readonly indexName: string };
/** Which vectors: by one id, by several, or by a filter. */
type Which = Named & {
  readonly id?: string;
  readonly ids?: readonly string[];
  readonly filter?: unknown;
};

const METRICS: Readonly<Record<string, Metric>> = {
  cosine: "cosine",
  euclidean: "euclid",
  dotproduct: "dot",
};
const DEFAULT_TOP_K = 10;

/** The nine methods of Mastra's vector stores, an index being a collection of points. */
export class Indexes {
  readonly #collections: Collections;

  constructor(collections: Collections) {
    this.#collections = collections;
  }

  async createIndex(params: Named & { readonly dimension: number; readonly metric?: string }) {
    const { indexName, dimension, metric = "cosine" } = params;
    if (!Number.isInteger(dimension) || dimension < 1) {
      throw expected("dimension", "a positive integer", dimension);
    }
    if (!Object.hasOwn(METRICS, metric)) {
      throw expected("metric", Object.keys(METRICS).join(", "), metric);
    }
    if (await this.#collections.create(indexName, { dimension, metric })) return;
    // As other stores have it: the same index again is no mistake.
    const there = await this.#settings(indexName);
    if (there.dimension === dimension && there.metric === metric) return;
    const has = `${there.dimension} dimensions and metric '${there.metric}'`;
    throw new RangeError(`indexName: index '${indexName}' has ${has}`);
  }

  async listIndexes(): Promise<string[]> {
    return this.#collections.names();
  }

  async describeIndex({ indexName }: Named) {
    const settings = await this.#settings(indexName);
    return { ...settings, count: (await this.#collections.points(indexName).points()).length };
  }

  async deleteIndex({ indexName }: Named): Promise<void> {
    await this.#collections.delete(indexName);
  }

  async upsert(
    params: Named & {
      readonly vectors: readonly (readonly number[])[];
      readonly metadata?: readonly Metadata[];
      readonly ids?: readonly string[];
      readonly deleteFilter?: unknown;
    },
  ): Promise<string[]> {
    const { indexName, vectors, metadata = [], ids = [], deleteFilter } = params;
    const { dimension } = await this.#settings(indexName);
    const points = vectors.map((vector, i) => ({
      id: ids[i] ?? randomUUID(),
      vector: checkVector(`vectors[${i}]`, vector, dimension),
      payload: plain(metadata[i] ?? {}),
    }));
    if (deleteFilter !== undefined)
      await this.#delete(indexName, selected({ filter: deleteFilter }));
    await this.#collections.points(indexName).upsert(points, textOf);
    return points.map(({ id }) => id);
  }

  async query(
    params: Named & {
      readonly queryVector: readonly number[];
      readonly topK?: number;
      readonly filter?: unknown;
      readonly includeVector?: boolean;
    },
  ) {
    const { indexName, queryVector, topK = DEFAULT_TOP_K, filter, includeVector = false } = params;
    const { dimension, metric } = await this.#settings(indexName);
    const vector = checkVector("queryVector", queryVector, dimension);
    const points = this.#collections.points(indexName);
    const found = await points.search(vector, topK, METRICS[metric]!, filtered(filter));
    return found.map(([{ id, payload, vector: held }, score]) => ({
      id: String(id),
      score,
      metadata: structuredClone(payload),
      ...(includeVector && { vector: Array.from(held) }),
    }));
  }

  /** Metadata that is given is put over what is there. */
  async updateVector(
    params: Which & {
      readonly update: { readonly vector?: readonly number[]; readonly metadata?: Metadata };
    },
  ): Promise<void> {
    const { indexName, update } = params;
    const { dimension } = await this.#settings(indexName);
    const { vector, metadata } = update;
    if (vector === undefined && metadata === undefined) {
      throw expected("update", "vector or metadata", update);
    }
    if (vector !== undefined) checkVector("update.vector", vector, dimension);
    const selects = selected(params);
    const points = this.#collections.points(indexName);
    const changed = (await points.points()).filter(selects).map((point) => ({
      id: point.id,
      vector: vector ?? point.vector,
      payload: { ...point.payload, ...plain(metadata ?? {}) },
    }));
    await points.upsert(changed, textOf);
  }

  async deleteVector({ indexName, id }: Named & { readonly id: string }): Promise<void> {
    await this.deleteVectors({ indexName, id });
  }

  async deleteVectors(params: Which): Promise<void> {
    await this.#settings(params.indexName);
    await this.#delete(params.indexName, selected(params));
  }

  async #delete(indexName: string, selects: (point: HeldPoint) => boolean): Promise<void> {
    await this.#collections.points(indexName).delete(selects);
  }

  async #settings(indexName: string): Promise<{ dimension: number; metric: "cosine" }> {
    const settings = await this.#collections.settings(indexName);
    if (settings === undefined) throw new RangeError(`indexName: no index '${indexName}'`);
    return settings as { dimension: number; metric: "cosine" };
  }
}

/** What a chunk says is the `text` of its metadata. */
function textOf({ text }: JsonObject): string {
  return typeof text === "string" ? text : "";
}

function filtered(filter: unknown): (point: HeldPoint) => boolean {
  const holds = toPredicate(filter);
  return ({ payload }) => holds(payload);
}

/** Exactly one of them has to be given; an empty filter is a mistake where vectors are changed. */
function selected({ id, ids, filter }: Omit<Which, "indexName">): (point: HeldPoint) => boolean {
  const given = [id, ids, filter].filter((way) => way !== undefined && way !== null);
  if (given.length !== 1) throw new TypeError("params: expected one of id, ids, filter");
  if (filter !== undefined && filter !== null) {
    const selects = filtered(filter);
    if (isEverything(filter as object)) throw expected("filter", "a condition", filter);
    return selects;
  }
  const wanted = new Set<string | number>(ids ?? [id!]);
  return (point) => wanted.has(point.id);
}

function checkVector(at: string, vector: unknown, dimension: number): readonly number[] {
  if (!Array.isArray(vector) || !vector.every(Number.isFinite)) {
    throw expected(at, "an array of finite numbers", vector);
  }
  if (vector.length === dimension) return vector as number[];
  throw new RangeError(`${at}: expected ${dimension} dimensions, got ${vector.length}`);
}

function plain(metadata: Metadata): JsonObject {
  return JSON.parse(JSON.stringify(metadata)) as JsonObject;
}
