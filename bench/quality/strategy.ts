import type { Conversation, Question } from "./dataset.js";
import type { Outcome } from "./metrics.js";

/** A way to answer questions about a conversation within a budget: what `quality` compares. */
export interface Strategy {
  readonly name: string;
  /** Takes in all turns of a conversation. */
  open(conversation: Conversation): Promise<Reader>;
}

/** A conversation taken in by a {@link Strategy}. */
export interface Reader {
  /** How long each turn took to add, in ms; empty where adding is not the strategy's own work. */
  readonly addMs: readonly number[];
  answer(question: Question, budgets: readonly number[]): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer extends Outcome {
  /** From question to packed text, one a budget, in ms. */
  readonly recallMs: readonly number[];
}
