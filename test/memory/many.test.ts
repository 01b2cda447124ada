import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Turn } from "../../src/index.js";
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
});
