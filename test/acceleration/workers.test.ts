import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { withDirectory, withStore } from "../lib/with-memory.js";
import { askAll, assertSameOrders, bundledTurns, type Orders } from "./lib.js";

interface Answer {
  readonly orders: Orders;
  readonly ran: number;
}

function answerOfWorker(directory: string): Promise<Answer> {
  const agent = new URL("./worker-agent.js", import.meta.url);
  const worker = new Worker(agent, { workerData: { directory } });
  return new Promise((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
  });
}

describe("worker threads", () => {
  it("have accelerators of their own over one store, and are ended while one runs", () =>
    withDirectory((directory) =>
      withStore(
        directory,
        async (memory) => {
          await memory.addMany(await bundledTurns());
          await memory.indexed();
          const { orders } = await askAll(memory);
          const answers = await Promise.all([answerOfWorker(directory), answerOfWorker(directory)]);
          for (const answer of answers) {
            assertSameOrders(answer.orders, orders);
            assert.ok(answer.ran > 0);
          }
          const agent = new URL("./worker-agent.js", import.meta.url);
          for (const ms of [30, 80, 150]) {
            const worker = new Worker(agent, { workerData: { directory } });
            await new Promise((resolve) => setTimeout(resolve, ms));
            await worker.terminate();
          }
          assertSameOrders((await askAll(memory)).orders, orders);
        },
        { chunkTurns: 1, accelerator: "native" },
      ),
    ));
});
