// A process that opens a store of many banks, asks each bank one question, in an order that no cache
// can guess, and says what it took: see many-banks.ts. Nothing but the import came before.

import { Memory } from "../../src/index.js";
import type { Touched } from "./many-banks.js";
import { residentBytes } from "./resident-bytes.js";

const [directory, count] = process.argv.slice(2) as [string, string];

process.once("message", async (questions: string[]) => {
  process.send!(await touchAll(Number(count), questions));
  process.disconnect();
});

async function touchAll(banks: number, questions: readonly string[]): Promise<Touched> {
  const imported = residentBytes();
  const opening = performance.now();
  const memory = await Memory.open(directory);
  const openMs = performance.now() - opening;
  const recallMs: number[] = [];
  for (let step = 0; step < banks; step++) {
    const i = (step * 7919) % banks;
    const start = performance.now();
    await memory.bank(`user-${i}`).recall(questions[i % questions.length]!);
    recallMs.push(performance.now() - start);
  }
  const touched = residentBytes();
  await memory.close();
  return { imported, touched, openMs, recallMs };
}
