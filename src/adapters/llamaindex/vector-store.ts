import type { BaseEmbedding } from "@llamaindex/core/embeddings";
import { type BaseNode, MetadataMode } from "@llamaindex/core/schema";
import {
  BaseVectorStore,
  metadataDictToNode,
  nodeToMetadata,
  type VectorStoreQuery,
  type VectorStoreQueryResult,
} from "@llamaindex/core/vector-store";
import type { Bank } from "../../bank.js";
import type { Filter } from "../../filter.js";
import type { Memory } from "../../memory.js";
import type { Entry, JsonObject, JsonValue } from "../../types.js";
import { deleteEntries, entriesOf, slicesOf } from "../entries.js";
import { inTurn } from "../in-turn.js";
import { nearest } from "../nearest.js";
import { type OwnBank, ownBank } from "../own-bank.js";
import { cosine, decodeVector, encodeVector } from "../vectors.js";
import { toFilter } from "./filters.js";

/** Where a vector store keeps its nodes. */
export interface DentateVectorStoreOptions extends OwnBank {
  /** What LlamaIndex embeds with; it has to be given one, used or not. */
  readonly embedModel?: BaseEmbedding | undefined;
}

/**
 * A memory's bank as a vector store of LlamaIndex. A query that has its text (`queryStr`) is a recall,
 * and needs no vectors; one with a vector alone is answered by cosine among the nodes that came with
 * an embedding, all of which are read.
 */
export class DentateVectorStore extends BaseVectorStore<Memory> {
  override storesText = true;
  readonly #memory: Memory;
  readonly #bank: Bank;

  constructor(options: DentateVectorStoreOptions) {
    const { memory, embedModel } = options;
    super(embedModel === undefined ? {} : { embeddingModel: embedModel });
    this.#memory = memory;
    this.#bank = ownBank(memory, options);
  }

  /** The memory. */
  override client(): Memory {
    return this.#memory;
  }

  /** Adds nodes, or replaces those of the same ids. Returns the nodes' ids. */
  override async add(nodes: BaseNode[]): Promise<string[]> {
    return inTurn(this.#memory, this.#bank.name, () => this.#add(nodes));
  }

  async #add(nodes: readonly BaseNode[]): Promise<string[]> {
    if (nodes.length === 0) return [];
    // Of one id twice, the last counts.
    const last = new Map(nodes.map((node) => [node.id_, node]));
    const replaced: string[] = [];
    for (const ids of slicesOf([...last.keys()])) {
      const filter: Filter = { metadata: { nodeId: { in: ids } } };
      for await (const { id } of entriesOf(this.#bank, filter)) replaced.push(id);
    }
    await this.#bank.addMany(
      [...last.values()].map((node) => ({
        role: "user" as const,
        content: textOf(node),
        metadata: {
          node: plain(nodeToMetadata(node, true)),
          fields: plain(node.metadata),
          nodeId: node.id_,
          ...(node.sourceNode !== undefined && { refDocId: node.sourceNode.nodeId }),
          ...(node.embedding !== undefined && { vector: encodeVector(node.embedding) }),
        },
      })),
    );
    await deleteEntries(this.#bank, replaced);
    return nodes.map(({ id_ }) => id_);
  }

  /** Deletes all nodes of a document. */
  override async delete(refDocId: string): Promise<void> {
    await this.#bank.deleteWhere({ metadata: { refDocId } });
  }

  /**
   * The nodes that answer `queryStr`, or else those nearest to `queryEmbedding`.
   *
   * @throws TypeError where neither is given, or a filter has an operator that is not there.
   */
  override async query(query: VectorStoreQuery): Promise<VectorStoreQueryResult> {
    const { queryStr, queryEmbedding, similarityTopK: k, filters, docIds } = query;
    const conditions: Filter[] = [];
    if (filters !== undefined) conditions.push(toFilter(filters));
    if (docIds !== undefined) conditions.push({ metadata: { refDocId: { in: docIds } } });
    const filter = conditions.length === 0 ? undefined : { and: conditions };
    const found: [Entry, number][] = [];
    if (queryStr !== undefined) {
      const items = await nearest(this.#bank, queryStr, k, filter === undefined ? {} : { filter });
      found.push(...items.map((item): [Entry, number] => [item, item.score]));
    } else if (queryEmbedding !== undefined) {
      for await (const entry of entriesOf(this.#bank, filter)) {
        const vector = decodeVector(entry.metadata);
        if (vector !== undefined) found.push([entry, cosine(queryEmbedding, vector)]);
      }
      found.sort((a, b) => b[1] - a[1]).splice(k);
    } else throw new TypeError("query: expected queryStr or queryEmbedding");
    const nodes = found.map(([entry]) => toNode(entry));
    return {
      nodes,
      similarities: found.map(([, score]) => score),
      ids: nodes.map(({ id_ }) => id_),
    };
  }
}

function toNode({ content, metadata }: Entry): BaseNode {
  const { node } = metadata;
  const restored = metadataDictToNode(node as Record<string, unknown>);
  (restored as BaseNode & { setContent(text: string): void }).setContent(content);
  return restored;
}

/** A text node's own text: what LlamaIndex shows of it has no spaces at its ends. */
function textOf(node: BaseNode): string {
  const { text } = node as { readonly text?: unknown };
  return typeof text === "string" ? text : node.getContent(MetadataMode.NONE);
}

/** What JSON has of it. */
function plain(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
