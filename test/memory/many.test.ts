import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Turn } from "../../src/index.js";
import { cpuTimer } from "../lib/cpu-time.js";
import { withMemory } from "../lib/with-memory.js";

/** More than a call can have arguments. */
const MANY = 250_000;

describe("a bank of many", () => {
  it("speakers, in two sessions that take turns, is added to and asked about one of them", () =>
    withMemory(
      async (memory) => {
        await memory.addMany(
          Array.from({ length: MANY }, (_, i): Turn => {
            return {
              role: "user",
              speaker: `n${i}`,
              session: `s${i % 2}`,
              content: `word${i % 9}`,
            };
          }),
        );
        const { items } = await memory.recall("Which word7 was in the first session?", {
          budget: 100,
        });
        assert.ok(items.length > 0 && items.every(({ session }) => session === "s0"));
      },
      { embedder: "none" },
    ));

  it("turns of the same words has one atom", () =>
    withMemory(async (memory) => {
      await memory.addMany(
        Array.from({ length: 500 }, (): Turn => {
          return { role: "user", session: "s", content: "Ana said the same thing again." };
        }),
      );
      await memory.indexed();
      const { chunks, atoms, largestAtom } = await memory.stats();
      assert.deepEqual([chunks, atoms, largestAtom], [100, 1, 100]);
    }));

  it("pieces of one turn is indexed in a time like its length", () =>
    withMemory(
      async (memory) => {
        const content = "Ana met Bob at the harbour and talked of the boat. ".repeat(16_000);
        await memory.add({ role: "user", content });
        const cpuMs = cpuTimer();
        await memory.indexed();
        assert.ok((await memory.stats()).chunks > 8000);
        // By reading all of it for each piece it would be minutes.
        assert.ok(cpuMs() < 20_000);
      },
      { chunkTokens: 16 },
    ));

  it("places named in one question is answered soon", () =>
    withMemory(
      async (memory) => {
        await memory.addMany(
          Array.from({ length: 60 }, (_, i): Turn => {
            return { role: "user", session: "s", content: `Step ${i}: go`, metadata: { step: i } };
          }),
        );
        const cpuMs = cpuTimer();
        const question = "step 1, 2, ".repeat(40_000);
        assert.ok((await memory.recall(question, { budget: 100 })).items.length > 0);
        // Each by itself would be looked up for 0.1 ms.
        assert.ok(cpuMs() < 3000);
      },
      { embedder: "none" },
    ));
});
