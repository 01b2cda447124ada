import { parentPort, workerData } from "node:worker_threads";
import { Memory } from "../../src/index.js";

/** A worker thread that updates entry e1 of a store which others have open too. */
const { directory, field } = workerData as { directory: string; field: "session" | "speaker" };
const memory = await Memory.open(directory);
await Promise.all(Array.from({ length: 100 }, (_, i) => memory.update("e1", { [field]: `n${i}` })));
await memory.close();
parentPort!.postMessage("done");
