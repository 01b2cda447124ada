import type { Memory } from "../../memory.js";
import { Collections } from "../points/collections.js";
import { Indexes } from "./indexes.js";

/** Where a vector store keeps its indexes. */
export interface DentateMastraVectorOptions {
  readonly memory: Memory;
  /** What the names of its banks begin with; `mastra/` unless given. */
  readonly prefix?: string | undefined;
}

const PREFIX = "mastra/";

/**
 * A vector store of Mastra's on a memory: an index is a bank, and a query is an exact search over the vectors
 * that its filter lets through.
 *
 * ```ts
 * import { MastraVector } from "@mastra/core/vector";
 * const mastra = new Mastra({ vectors: { dentate: mastraVector(MastraVector, { memory }) } });
 * ```
 *
 * @param Base Mastra's own class, whose instance this has to be.
 */
export function mastraVector<T extends object>(
  Base: abstract new () => T,
  { memory, prefix = PREFIX }: DentateMastraVectorOptions,
): T {
  const indexes = new Indexes(new Collections(memory, prefix));
  type Params<Name extends keyof Indexes> = Parameters<Indexes[Name]>[0];
  class DentateMastraVector extends (Base as unknown as new () => object) {
    createIndex = (params: Params<"createIndex">) => indexes.createIndex(params);
    listIndexes = () => indexes.listIndexes();
    describeIndex = (params: Params<"describeIndex">) => indexes.describeIndex(params);
    deleteIndex = (params: Params<"deleteIndex">) => indexes.deleteIndex(params);
    upsert = (params: Params<"upsert">) => indexes.upsert(params);
    query = (params: Params<"query">) => indexes.query(params);
    updateVector = (params: Params<"updateVector">) => indexes.updateVector(params);
    deleteVector = (params: Params<"deleteVector">) => indexes.deleteVector(params);
    deleteVectors = (params: Params<"deleteVectors">) => indexes.deleteVectors(params);
  }
  return new DentateMastraVector() as unknown as T;
}
