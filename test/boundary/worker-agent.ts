import { parentPort, workerData } from "node:worker_threads";
import { Memory } from "../../src/index.js";

/** A worker thread with a memory of its own, which adds and recalls until it is told to stop. */
const { name, turns } = workerData as { name: string; turns: number };
const memory = await Memory.open({ inMemory: true });
for (let i = 0; i < turns; i++) {
  await memory.add({ role: "user", content: `${name} says that number ${i} is word${i}` });
  const recall = memory.recall(`What is number ${i}?`, { budget: 200 });
  if (i === 20) parentPort!.postMessage("busy");
  const { items } = await recall;
  if (items.some(({ content }) => !content.startsWith(name))) throw new Error("a stranger's entry");
}
const { entries } = await memory.stats();
await memory.close();
parentPort!.postMessage({ entries });
