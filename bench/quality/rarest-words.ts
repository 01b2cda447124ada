import { stems } from "./bm25.js";
import { referenceLine } from "./bm25-reference.js";
import type { Conversation } from "./dataset.js";

/**
 * Stands in for the paper's keyword step, which asks a language model: the `count` words of a
 * question that fewest turns of the conversation have, among those that any has.
 */
export function rarestWords({
  turns,
}: Conversation): (question: string, count: number) => string[] {
  const frequency = new Map<string, number>();
  for (const turn of turns) {
    for (const stem of new Set(stems(referenceLine(turn)))) {
      frequency.set(stem, (frequency.get(stem) ?? 0) + 1);
    }
  }
  return (question, count) => {
    const words = new Map<string, string>();
    for (const word of question.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
      const [stem] = stems(word);
      if (stem !== undefined && frequency.has(stem) && !words.has(stem)) words.set(stem, word);
    }
    return [...words]
      .sort(([a], [b]) => frequency.get(a)! - frequency.get(b)!)
      .slice(0, count)
      .map(([, word]) => word);
  };
}
