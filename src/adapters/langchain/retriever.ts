import type { CallbackManagerForRetrieverRun } from "@langchain/core/callbacks/manager";
import { Document } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import type { Bank } from "../../bank.js";
import type { RecallOptions } from "../../recall/options.js";
import { type OwnBank, ownBank } from "../own-bank.js";
import { toDocument } from "./documents.js";

/** How a retriever recalls. */
export interface DentateRetrieverInput extends BaseRetrieverInput, RecallOptions, OwnBank {
  /**
   * `packed` (unless given): one document, whose text is the recall's, within the budget with its headers, marked
   * so that it is not kept again.
   * `items`: a document for each entry of it, best first.
   */
  readonly as?: "packed" | "items" | undefined;
}

/**
 * Recalls for chains: what a chain puts into its prompt is at most `budget` tokens.
 *
 * ```ts
 * const retriever = new DentateRetriever({ memory, bank: "user-42", budget: 1500 });
 * const [context] = await retriever.invoke("Where does she live?");
 * ```
 */
export class DentateRetriever extends BaseRetriever {
  static override lc_name(): string {
    return "DentateRetriever";
  }

  override lc_namespace = ["dentate", "retrievers"];
  readonly #bank: Bank;
  readonly #as: "packed" | "items";
  readonly #options: RecallOptions;

  constructor(input: DentateRetrieverInput) {
    const {
      memory,
      bank: _,
      as = "packed",
      callbacks,
      tags,
      metadata,
      verbose,
      ...options
    } = input;
    super({
      ...(callbacks !== undefined && { callbacks }),
      ...(tags !== undefined && { tags }),
      ...(metadata !== undefined && { metadata }),
      ...(verbose !== undefined && { verbose }),
    });
    this.#bank = ownBank(memory, input);
    this.#as = as;
    this.#options = { marked: as === "packed", ...options };
  }

  override async _getRelevantDocuments(
    query: string,
    run?: CallbackManagerForRetrieverRun,
  ): Promise<Document[]> {
    // LangChain's way to hand a run's signal on is not typed in every version.
    const signal = (run as { readonly signal?: AbortSignal } | undefined)?.signal;
    const recall = await this.#bank.recall(query, { ...this.#options, ...(signal && { signal }) });
    if (this.#as === "items") return recall.items.map(toDocument);
    if (recall.items.length === 0) return [];
    const { text, tokens, budget, items } = recall;
    const ids = items.map(({ id }) => id);
    return [new Document({ pageContent: text, metadata: { tokens, budget, ids } })];
  }
}
