import type { Question } from "../quality/dataset.js";
import { percent, type Score } from "../quality/outcome.js";
import type { LanguageModel } from "./client.js";
import { bleu1, locomoF1 } from "./phrase-scores.js";

/** What a set's answers are like, and so how they are scored. */
export type AnswerKind = "phrases" | "statements";

const READER = `You answer questions from an agent's memory. Use only the memory below the line.
Answer in as few words as the question allows, with exact words and dates of the memory.
If the memory doesn't say, answer "no information available".`;

const GRADE = `You grade an answer against the gold answer, from 1 to 5:
5 says the same, 4 nearly the same, 3 a part of it, 2 little of it, 1 none of it or the opposite.
Reply with the digit alone.`;

const SAME = `You decide whether an answer is right: whether it says what the gold answer says.
Other words for the same are right; a missing or wrong part is not. Reply "yes" or "no" alone.`;

/** The most tokens of an answer, by its kind. */
const ANSWER_TOKENS = { phrases: 64, statements: 256 } as const;

/**
 * Has a model answer from a packed text, and scores the answer. All metrics are named after the
 * budget, as those without a model are:
 *
 *   phrases     llm-f1@B, llm-bleu1@B, llm-judge@B (1 to 5)    LoCoMo's scores
 *   statements  llm-yes@B                                      AMA-Bench's: right or not
 *
 * A verdict that is neither is asked for once more, then counted as `llm-unreadable@B`.
 */
export async function judged(
  model: LanguageModel,
  kind: AnswerKind,
  { question, answer: gold, category }: Question,
  text: string,
  budget: string,
): Promise<Score[]> {
  if (gold === undefined) return [];
  const answer = await answerFrom(model, kind, question, text);
  const asked = `Question: ${question}\nGold answer: ${gold}\nAnswer: ${answer}`;
  if (kind === "phrases") {
    const grade = await verdict(model, GRADE, asked, /[1-5]/);
    return [
      percent(`llm-f1@${budget}`, locomoF1(answer, gold, category)),
      percent(`llm-bleu1@${budget}`, bleu1(answer, gold)),
      ...(grade === undefined
        ? [percent(`llm-unreadable@${budget}`, 1)]
        : [{ metric: `llm-judge@${budget}`, value: Number(grade), unit: "of 5" }]),
    ];
  }
  const same = await verdict(model, SAME, asked, /\b(?:yes|no)\b/i);
  if (same === undefined) return [percent(`llm-unreadable@${budget}`, 1)];
  return [percent(`llm-yes@${budget}`, same.toLowerCase() === "yes" ? 1 : 0)];
}

/** Has a model answer a question from a packed text and nothing else. */
export function answerFrom(
  model: LanguageModel,
  kind: AnswerKind,
  question: string,
  text: string,
): Promise<string> {
  return model.complete({
    system: READER,
    user: `Question: ${question}\n\n---\n${text}\n---\n\nQuestion: ${question}\nAnswer:`,
    maxTokens: ANSWER_TOKENS[kind],
  });
}

async function verdict(
  model: LanguageModel,
  system: string,
  user: string,
  pattern: RegExp,
): Promise<string | undefined> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const found = pattern.exec(await model.complete({ system, user, maxTokens: 8 }));
    if (found !== null) return found[0];
  }
  return undefined;
}
