// A process that opens a store read-only and says what it took: see opening.ts.
//
//   time    the library is loaded and warm before, from a small memory without a store, so that only
//           the opening is measured
//   memory  nothing but the import came before: what is resident then is the baseline

import { Memory } from "../../src/index.js";
import { TextSource } from "../memory/text.js";
import { vocabulary } from "../memory/vocabulary.js";
import type { OpeningMemory, OpeningTimes } from "./opening.js";
import { residentBytes } from "./resident-bytes.js";
import { turnsOf } from "./turns.js";

const [what, directory] = process.argv.slice(2) as ["time" | "memory", string];

process.once("message", async (questions: string[]) => {
  process.send!(await (what === "time" ? times(questions) : memoryUse(questions)));
  process.disconnect();
});

async function times(questions: readonly string[]): Promise<OpeningTimes> {
  await warmUp();
  const began = performance.now();
  const memory = await Memory.open(directory, { readOnly: true });
  const opened = performance.now();
  try {
    const asked = performance.now();
    await memory.recall(questions[0]!);
    const answered = performance.now();
    const later: number[] = [];
    for (const question of questions.slice(1)) {
      const start = performance.now();
      await memory.recall(question);
      later.push(performance.now() - start);
    }
    later.sort((a, b) => a - b);
    return {
      openMs: opened - began,
      firstMs: answered - asked,
      warmMs: later[later.length >> 1]!,
    };
  } finally {
    await memory.close();
  }
}

async function memoryUse(questions: readonly string[]): Promise<OpeningMemory> {
  const imported = residentBytes();
  const memory = await Memory.open(directory, { readOnly: true });
  const opened = residentBytes();
  for (const question of questions) await memory.recall(question);
  const recalled = residentBytes();
  await memory.close();
  return { imported, opened, recalled };
}

async function warmUp(): Promise<void> {
  const source = new TextSource(77, vocabulary());
  const memory = await Memory.open({ inMemory: true });
  await memory.addMany(turnsOf(source, 20_000).turns);
  for (let i = 0; i < 200; i++) await memory.recall(source.question(8, 12));
  await memory.close();
}
