// Worker threads of one process share one store: each opens the directory, all of them write, and what
// one has added the others recall.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Memory } from "dentate";

const WORKERS = 3;

async function work({ directory, n }: { directory: string; n: number }) {
  const memory = await Memory.open(directory);
  try {
    const content = `Worker ${n} looked after the lighthouse of island ${n}.`;
    await memory.bank("shared").add({ role: "tool", content });
  } finally {
    await memory.close();
  }
  parentPort?.postMessage("done");
}

async function main() {
  const directory = await mkdtemp(join(tmpdir(), "dentate-example-"));
  const memory = await Memory.open(directory);
  try {
    await Promise.all(
      Array.from({ length: WORKERS }, async (_, n) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: { directory, n } });
        const [code] = (await once(worker, "exit")) as [number];
        assert.equal(code, 0);
      }),
    );
    const { items } = await memory.bank("shared").recall("Which lighthouses?", { budget: 300 });
    assert.equal(items.length, WORKERS);
    console.log(`${WORKERS} workers wrote to one store; this thread recalls all ${items.length}`);
  } finally {
    await memory.close();
    await rm(directory, { recursive: true });
  }
}

await (isMainThread ? main() : work(workerData as { directory: string; n: number }));
