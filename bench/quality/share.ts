import { UsageError } from "../lib/row.js";
import type { Dataset } from "./dataset.js";

/** The halves of a development set: what is tuned on one is reported on the other. */
export const SHARES = ["dev-a", "dev-b"] as const;

export interface Selection {
  readonly share?: (typeof SHARES)[number];
  /** Every how many-th conversation is kept. */
  readonly every?: number;
  /** The most questions, over the whole set. */
  readonly limit?: number | undefined;
}

/**
 * A part of a data set. Conversations are in the order of their names, which puts those of a kind
 * side by side; so taking turns gives each half as many of each kind.
 */
export function select(data: Dataset, { share, every = 1, limit }: Selection): Dataset {
  const half = share === undefined ? undefined : SHARES.indexOf(share);
  const kept = data.conversations
    .filter((_, i) => half === undefined || i % 2 === half)
    .filter((_, i) => i % every === 0);
  return thin({ ...data, conversations: kept }, limit);
}

/** Keeps at most `limit` questions, evenly spaced over the whole set. */
function thin(data: Dataset, limit: number | undefined): Dataset {
  const total = data.conversations.reduce((sum, { questions }) => sum + questions.length, 0);
  if (total === 0) throw new UsageError("the data set has no question with evidence");
  if (limit === undefined || limit >= total) return data;
  let seen = 0;
  const conversations = data.conversations.map((conversation) => ({
    ...conversation,
    questions: conversation.questions.filter(() => {
      const position = seen++;
      return Math.floor(((position + 1) * limit) / total) > Math.floor((position * limit) / total);
    }),
  }));
  return { ...data, conversations };
}
