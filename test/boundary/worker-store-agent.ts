import { parentPort, workerData } from "node:worker_threads";
import { Memory } from "../../src/index.js";

/** A worker thread that adds to a store which others have open too, until it is told to stop. */
const { directory, name, turns } = workerData as { directory: string; name: string; turns: number };
const memory = await Memory.open(directory);
for (let i = 0; i < turns; i++) {
  const { id } = await memory.add({
    role: "user",
    speaker: name,
    content: `number ${i} of ${name}`,
  });
  const found = await memory.get(id);
  if (found?.content !== `number ${i} of ${name}`) throw new Error(`${id} is not what was added`);
  if (i % 10 === 0) await memory.recall(`What is number ${i} of ${name}?`, { budget: 100 });
  if (i === 20) parentPort!.postMessage("busy");
}
await memory.close();
parentPort!.postMessage("done");
