import assert from "node:assert/strict";
import { once } from "node:events";
import { it } from "node:test";
import { Worker } from "node:worker_threads";
import { Memory } from "../../src/index.js";

const agent = (name: string, turns: number) =>
  new Worker(new URL("./worker-agent.js", import.meta.url), { workerData: { name, turns } });

it("serves two threads, each with a memory of its own", async () => {
  const results = await Promise.all(
    ["Ana", "Ben"].map(
      (name) =>
        new Promise((resolve, reject) => {
          agent(name, 100)
            .on("message", (message) => message !== "busy" && resolve(message))
            .on("error", reject);
        }),
    ),
  );
  assert.deepEqual(results, [{ entries: 100 }, { entries: 100 }]);
});

it("survives threads that are terminated in the middle of a recall", async () => {
  const memory = await Memory.open({ inMemory: true });
  for (let round = 0; round < 10; round++) {
    const worker = agent("Carl", 1e9);
    await once(worker, "message");
    await worker.terminate();
    await memory.add({ role: "user", content: `round ${round}` });
    assert.equal((await memory.recall(`round ${round}`)).items.length, round + 1);
  }
  await memory.close();
});
