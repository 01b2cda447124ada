// How large a budget has to be: the smallest one whose text holds the answers to questions that you
// know the answers of. The budget is a hard bound, also in tokens that you count yourself.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Memory, type Turn } from "dentate";

const QUESTIONS: readonly (readonly [question: string, answer: RegExp])[] = [
  ["What is Ingrid allergic to?", /walnuts/],
  ["How much did the notary pay for the rolltop desk?", /1,400 euros/],
  ["Where is the workshop?", /Rua do Almada/],
];

const lines = (await readFile("examples/conversation.jsonl", "utf8")).trim().split("\n");
const memory = await Memory.open({ inMemory: true });
try {
  await memory.addMany(lines.map((line) => JSON.parse(line) as Turn));
  const { tokens: all } = await memory.stats();

  const hits: [budget: number, hits: number][] = [];
  for (const budget of [0, 50, 100, 200, 400, 800]) {
    const recalls = await Promise.all(
      QUESTIONS.map(([question]) => memory.recall(question, { budget })),
    );
    assert.ok(recalls.every(({ tokens }) => tokens <= budget));
    hits.push([budget, recalls.filter(({ text }, i) => QUESTIONS[i]![1].test(text)).length]);
  }
  const enough = hits.find(([, count]) => count === QUESTIONS.length);
  assert.ok(enough !== undefined && enough[0] <= 400);

  // Another model counts otherwise: hand its counter over, and the budget is in its tokens.
  const countTokens = (text: string) => Math.ceil(text.length / 3);
  const { text, skipped } = await memory.recall(QUESTIONS[0]![0], { budget: 200, countTokens });
  assert.ok(countTokens(text) <= 200);
  assert.ok(skipped.length > 0); // what ranked higher than some of it and did not fit
  console.log(`${enough[0]} of ${all} tokens are enough for all ${QUESTIONS.length} answers`);
} finally {
  await memory.close();
}
