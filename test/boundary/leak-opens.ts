import { Memory } from "../../src/index.js";

/** Opens, uses and closes 10,000 memories; prints the process's bytes after 1,000 and after all. */
async function openMany(count: number): Promise<number> {
  for (let i = 0; i < count; i++) {
    const memory = await Memory.open({ inMemory: true });
    await memory.add({ role: "user", content: `I have been here ${i} times` });
    if (i % 10 === 0) await memory.recall("How often?", { budget: 100 });
    await memory.close();
    if (i % 200 === 0) {
      // Finalizers run in a later turn of the event loop than the collection.
      (globalThis as { gc?: () => void }).gc!();
      await new Promise(setImmediate);
    }
  }
  (globalThis as { gc?: () => void }).gc!();
  await new Promise(setImmediate);
  return process.memoryUsage.rss();
}

const after1000 = await openMany(1000);
const after10000 = await openMany(9000);
process.stdout.write(JSON.stringify({ after1000, after10000 }));
