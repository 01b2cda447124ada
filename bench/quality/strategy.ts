import type { Conversation, Question } from "./dataset.js";
import type { Ingested } from "./ingested.js";
import type { Outcome } from "./outcome.js";

/** A way to answer questions about a conversation within a budget: what `quality` compares. */
export interface Strategy {
  readonly name: string;
  /** Takes in a conversation; what strategies can share of that is in `ingested`. */
  open(conversation: Conversation, ingested: Ingested): Promise<Reader>;
}

/** A conversation taken in by a {@link Strategy}. */
export interface Reader {
  /** How long each turn took to add, in ms; empty where adding is not the strategy's own work. */
  readonly addMs: readonly number[];
  /** @param rankingBudget See {@link Dataset.rankingBudget}. */
  answer(question: Question, budgets: readonly number[], rankingBudget: number): Promise<Answer>;
  /** What its memory has come to when the last question has been answered; absent: it has none. */
  memory?(): Promise<MemoryCounts>;
  close(): Promise<void>;
}

export interface MemoryCounts {
  readonly chunks: number;
  readonly atoms: number;
  /** Chunks in the largest atom. */
  readonly largest: number;
  /** Native memory of the bank, over the UTF-8 of the contents that were added. */
  readonly bytesPerInputByte: number;
}

export interface Answer extends Outcome {
  /** From question to packed text, one a budget, in ms. */
  readonly recallMs: readonly number[];
}
