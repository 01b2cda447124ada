// Every strategy on the same questions: whether the entry with the answer is in the text. What counts is
// your own data: put your questions and what their answers must contain in place of these.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Memory, STRATEGIES, type StrategyName, type Turn } from "dentate";

const QUESTIONS: readonly (readonly [question: string, answer: RegExp])[] = [
  ["What is Ingrid allergic to?", /walnuts/],
  ["What dose of Carprofen does Pipa get?", /25 milligrams/],
  ["How much did the notary pay for the rolltop desk?", /1,400 euros/],
  ["Where is the workshop?", /Rua do Almada/],
];
const BUDGET = 400;

const lines = (await readFile("examples/conversation.jsonl", "utf8")).trim().split("\n");
const memory = await Memory.open({ inMemory: true });
try {
  await memory.addMany(lines.map((line) => JSON.parse(line) as Turn));
  await memory.indexed(); // strategies that go by chunks find all of them

  const found = new Map<StrategyName, number>();
  for (const strategy of STRATEGIES) {
    let hits = 0;
    for (const [question, answer] of QUESTIONS) {
      const { text, tokens } = await memory.recall(question, { strategy, budget: BUDGET });
      assert.ok(tokens <= BUDGET);
      if (answer.test(text)) hits++;
    }
    found.set(strategy, hits);
  }
  assert.equal(found.get("none"), 0);
  assert.equal(found.get("hybrid"), QUESTIONS.length);
  const table = [...found].map(([strategy, hits]) => `${strategy} ${hits}`).join(", ");
  console.log(`answers in ${BUDGET} tokens, of ${QUESTIONS.length}: ${table}`);
} finally {
  await memory.close();
}
