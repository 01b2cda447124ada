import type { DocumentInterface } from "@langchain/core/documents";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { maximalMarginalRelevance } from "@langchain/core/utils/math";
import { type MaxMarginalRelevanceSearchOptions, VectorStore } from "@langchain/core/vectorstores";
import type { Bank } from "../../bank.js";
import type { Filter } from "../../filter.js";
import type { Memory } from "../../memory.js";
import type { JsonObject, JsonValue, Turn } from "../../types.js";
import { deleteEntries, EVERYTHING, entriesOf, slicesOf } from "../entries.js";
import { inTurn } from "../in-turn.js";
import { nearest } from "../nearest.js";
import { type OwnBank, ownBank } from "../own-bank.js";
import { cosine, decodeVector, encodeVector } from "../vectors.js";
import { toDocument } from "./documents.js";

/** Where a vector store keeps its documents. */
export type DentateVectorStoreConfig = OwnBank;

/** How documents are added. */
export interface AddDocumentOptions {
  /** What documents are called; one that is there already is replaced. */
  readonly ids?: readonly string[] | undefined;
}

/** What {@link DentateVectorStore.delete} takes: one of them. */
export interface DeleteParams {
  readonly ids?: readonly string[] | undefined;
  readonly filter?: Filter | undefined;
  readonly deleteAll?: boolean | undefined;
}

const DEFAULT_K = 4;
const DEFAULT_FETCH_K = 20;
const DEFAULT_LAMBDA = 0.5;

/**
 * A memory's bank as a vector store of LangChain.
 *
 * Documents that are added as text need no embeddings: `similaritySearch` is a recall. The embeddings
 * that LangChain hands over are used where it brings vectors itself (`addVectors`,
 * `similaritySearchVectorWithScore`, which reads every vector of the bank) and for maximal marginal relevance.
 * A filter is the memory's own, and is applied before ranking.
 */
export class DentateVectorStore extends VectorStore {
  declare FilterType: Filter;
  readonly #bank: Bank;
  readonly #memory: Memory;

  constructor(embeddings: EmbeddingsInterface, config: DentateVectorStoreConfig) {
    super(embeddings, {});
    this.#memory = config.memory;
    this.#bank = ownBank(config.memory, config);
  }

  override _vectorstoreType(): string {
    return "dentate";
  }

  static override async fromTexts(
    texts: string[],
    metadatas: object[] | object,
    embeddings: EmbeddingsInterface,
    config: DentateVectorStoreConfig & AddDocumentOptions,
  ): Promise<DentateVectorStore> {
    const documents = texts.map((pageContent, i) => ({
      pageContent,
      metadata: (Array.isArray(metadatas) ? metadatas[i] : metadatas) as object,
    }));
    return DentateVectorStore.fromDocuments(documents, embeddings, config);
  }

  static override async fromDocuments(
    documents: DocumentInterface[],
    embeddings: EmbeddingsInterface,
    config: DentateVectorStoreConfig & AddDocumentOptions,
  ): Promise<DentateVectorStore> {
    const store = new DentateVectorStore(embeddings, config);
    await store.addDocuments(documents, config);
    return store;
  }

  /** Returns the documents' ids: their own, those given, or the entries'. */
  override async addDocuments(
    documents: DocumentInterface[],
    options?: AddDocumentOptions,
  ): Promise<string[]> {
    return this.#add(documents, options?.ids);
  }

  override async addVectors(
    vectors: number[][],
    documents: DocumentInterface[],
    options?: AddDocumentOptions,
  ): Promise<string[]> {
    if (vectors.length !== documents.length) {
      throw new RangeError(`vectors: expected ${documents.length}, got ${vectors.length}`);
    }
    return this.#add(documents, options?.ids, vectors);
  }

  override async similaritySearch(query: string, k = DEFAULT_K, filter?: Filter) {
    return (await this.similaritySearchWithScore(query, k, filter)).map(([document]) => document);
  }

  override async similaritySearchWithScore(
    query: string,
    k = DEFAULT_K,
    filter?: Filter,
  ): Promise<[DocumentInterface, number][]> {
    const found = await nearest(this.#bank, query, k, filter === undefined ? {} : { filter });
    return found.map((item) => [toDocument(item), item.score]);
  }

  /** By cosine, among the documents that were added with a vector. */
  override async similaritySearchVectorWithScore(
    query: number[],
    k: number,
    filter?: Filter,
  ): Promise<[DocumentInterface, number][]> {
    const found: [DocumentInterface, number][] = [];
    for await (const entry of entriesOf(this.#bank, filter)) {
      const vector = decodeVector(entry.metadata);
      if (vector !== undefined) found.push([toDocument(entry), cosine(query, vector)]);
    }
    return found.sort((a, b) => b[1] - a[1]).slice(0, k);
  }

  override async maxMarginalRelevanceSearch(
    query: string,
    options: MaxMarginalRelevanceSearchOptions<Filter>,
  ): Promise<DocumentInterface[]> {
    const { k, fetchK = DEFAULT_FETCH_K, lambda = DEFAULT_LAMBDA, filter } = options;
    const documents = await this.similaritySearch(query, fetchK, filter);
    const [asked, vectors] = await Promise.all([
      this.embeddings.embedQuery(query),
      this.embeddings.embedDocuments(documents.map(({ pageContent }) => pageContent)),
    ]);
    return maximalMarginalRelevance(asked, vectors, lambda, k).map((i) => documents[i]!);
  }

  /** @throws TypeError where it is told nothing: that deletes nothing, and all least of all. */
  override async delete({ ids, filter, deleteAll }: DeleteParams = {}): Promise<void> {
    if (ids !== undefined) await this.#deleteIds(ids);
    else if (filter !== undefined) await this.#bank.deleteWhere(filter);
    else if (deleteAll === true) await this.#bank.deleteWhere(EVERYTHING);
    else throw new TypeError("params: expected ids, filter or deleteAll: true");
  }

  #add(
    documents: readonly DocumentInterface[],
    given?: readonly string[],
    vectors?: readonly number[][],
  ): Promise<string[]> {
    return inTurn(this.#memory, this.#bank.name, () => this.#addNow(documents, given, vectors));
  }

  async #addNow(
    documents: readonly DocumentInterface[],
    given: readonly string[] = [],
    vectors: readonly number[][] = [],
  ): Promise<string[]> {
    const ids = documents.map((document, i) => given[i] ?? document.id);
    // Those that are replaced go when the new ones are there: what is refused takes nothing away.
    const replaced = await this.#entriesOf(ids.filter((id) => id !== undefined));
    // Of one id twice, the last counts.
    const last = new Map(ids.map((id, i) => [id ?? i, i]));
    const kept = [...last.values()];
    const turns = kept.map((i): Turn => {
      const { pageContent, metadata } = documents[i]!;
      const vector = vectors[i];
      return {
        role: "user",
        content: pageContent,
        metadata: {
          document: (metadata ?? {}) as JsonObject as JsonValue,
          ...(ids[i] !== undefined && { documentId: ids[i] }),
          ...(vector !== undefined && { vector: encodeVector(vector) }),
        },
      };
    });
    const added = turns.length === 0 ? [] : await this.#bank.addMany(turns);
    await deleteEntries(this.#bank, replaced);
    const entries = new Map(kept.map((i, nth) => [i, added[nth]!.id]));
    return ids.map((id, i) => id ?? entries.get(i)!);
  }

  async #deleteIds(ids: readonly string[]): Promise<void> {
    await deleteEntries(this.#bank, await this.#entriesOf(ids));
  }

  /** The entries of documents. Ids are the caller's; only an entry without such a one is called as itself. */
  async #entriesOf(ids: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const some of slicesOf(ids)) {
      const wanted = new Set(some);
      const own = some.filter((id) => /^e[1-9]\d{0,9}$/.test(id));
      const filter: Filter = { or: [{ metadata: { documentId: { in: some } } }, { ids: own }] };
      for await (const { id, metadata } of entriesOf(this.#bank, filter)) {
        const { documentId } = metadata;
        if (wanted.has(typeof documentId === "string" ? documentId : id)) found.push(id);
      }
    }
    return found;
  }
}
