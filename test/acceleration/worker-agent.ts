// Started by workers.test.ts: asks a store, on an accelerator of this thread's own.
import { parentPort, workerData } from "node:worker_threads";
import { Memory } from "../../src/index.js";
import { askAll } from "./lib.js";

const { directory } = workerData as { directory: string };
const memory = await Memory.open(directory, { accelerator: "native" });
const { orders, ran } = await askAll(memory);
await memory.close();
parentPort!.postMessage({ orders, ran: ran.size });
