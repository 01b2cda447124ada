import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { withDirectory, withStore } from "../lib/with-memory.js";

const agent = (directory: string, name: string, turns: number) =>
  new Worker(new URL("./worker-store-agent.js", import.meta.url), {
    workerData: { directory, name, turns },
  });

/** Resolves when the worker has done all; rejects with what it threw. */
async function done(worker: Worker): Promise<void> {
  for (let message: unknown; message !== "done"; ) [message] = await once(worker, "message");
}

describe("worker threads that open one store", () => {
  it("share it: each sees what the others add", () =>
    withDirectory(async (directory) => {
      const names = ["Ana", "Ben", "Carl"];
      await withStore(directory, async (memory) => {
        await Promise.all(names.map((name) => done(agent(directory, name, 60))));
        const entries = await memory.list({ limit: 1000 });
        assert.equal(entries.length, 180);
        for (const name of names) {
          const contents = entries.filter((e) => e.speaker === name).map((e) => e.content);
          assert.deepEqual(
            contents,
            Array.from({ length: 60 }, (_, i) => `number ${i} of ${name}`),
          );
        }
      });
      await withStore(directory, async (memory) => {
        assert.equal((await memory.stats()).entries, 180);
      });
    }));

  it("lose no update of one entry to each other", () =>
    withDirectory((directory) =>
      withStore(directory, async (memory) => {
        await memory.add({ role: "user", content: "hello" });
        const updating = (["session", "speaker"] as const).map((field) => {
          const agent = new URL("./worker-update-agent.js", import.meta.url);
          return done(new Worker(agent, { workerData: { directory, field } }));
        });
        await Promise.all(updating);
        const versions = await memory.history("e1");
        assert.deepEqual(
          versions.map(({ version }) => version),
          Array.from({ length: 201 }, (_, i) => i + 1),
        );
        const { session, speaker } = versions.at(-1)!;
        assert.deepEqual({ session, speaker }, { session: "n99", speaker: "n99" });
      }),
    ));

  it("may be terminated at any moment, and take nothing with them", () =>
    withDirectory(async (directory) => {
      await withStore(directory, async (memory) => {
        for (let round = 0; round < 8; round++) {
          const worker = agent(directory, `worker ${round}`, 1e9);
          await once(worker, "message");
          const adding = memory.add({ role: "user", content: `round ${round}` });
          await worker.terminate();
          await adding;
          const { items } = await memory.recall(`round ${round}`, { budget: 1e5 });
          assert.ok(items.some(({ content }) => content === `round ${round}`));
        }
      });
      await withStore(directory, async (memory) => {
        const entries = await memory.list({ limit: 10_000 });
        assert.equal(entries.filter(({ content }) => content.startsWith("round")).length, 8);
        for (let round = 0; round < 8; round++) {
          const own = entries.filter(({ speaker }) => speaker === `worker ${round}`);
          assert.ok(own.length > 20);
          for (const [i, { content }] of own.entries()) {
            assert.equal(content, `number ${i} of worker ${round}`);
          }
        }
      });
    }));

  it("may be the only ones: the store is closed with the last of them", () =>
    withDirectory(async (directory) => {
      const worker = agent(directory, "Ana", 1e9);
      await once(worker, "message");
      await worker.terminate();
      // The lock is free, and what was acknowledged is there.
      await withStore(directory, async (memory) => {
        assert.ok((await memory.stats()).entries > 20);
      });
    }));
});
