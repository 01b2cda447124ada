import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ENCODERS, type Turn } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

const FACTS = ["harpsichord", "submarine", "marmalade", "telescope", "avalanche", "orchid"];
const TURNS: Turn[] = FACTS.map((thing, i) => ({
  role: "user",
  content: `On day ${i} I bought a ${thing} and a lamp.`,
  session: `s${i}`,
  at: i * 86_400_000,
}));

for (const encoder of ENCODERS) {
  for (const signatureBits of encoder === "distilled" ? [64, 128, 256] : [16, 48, 128]) {
    describe(`${encoder} with ${signatureBits} bits`, () => {
      it("finds a word again by its stem", () =>
        withMemory(
          async (memory) => {
            await memory.addMany(TURNS);
            for (const strategy of ["hybrid", "hippocampus"] as const) {
              const { items } = await memory.recall("Where are the submarines?", { strategy });
              assert.equal(items[0]?.id, "e2", strategy);
              const words = items[0].reasons.words.map(({ matched }) => matched);
              assert.ok(words.includes("submarine"));
            }
          },
          { encoder, signatureBits },
        ));
    });
  }
}

describe("hippocampus-paper", () => {
  it("finds the entries that hold every keyword, latest first", () =>
    withMemory(async (memory) => {
      await memory.addMany(TURNS);
      const ids = async (...keywords: string[]) => {
        const options = { strategy: "hippocampus-paper", keywords } as const;
        return (await memory.recall("anything", options)).items.map(({ id }) => id);
      };
      assert.deepEqual(await ids("orchid", "lamp"), ["e6"]);
      assert.deepEqual(await ids("lamp"), ["e6", "e5", "e4", "e3", "e2", "e1"]);
      assert.deepEqual(await ids("orchid", "telescope"), []);
      assert.deepEqual(await ids(), []);
    }));

  for (const window of [0, 1]) {
    it(`works with the paper's encoder and a window of ${window}`, () =>
      withMemory(
        async (memory) => {
          await memory.addMany(TURNS);
          const options = { strategy: "hippocampus-paper", keywords: ["marmalade"] } as const;
          const { items } = await memory.recall("", options);
          assert.ok(items.some(({ id }) => id === "e3"));
          if (window === 0) assert.equal(items.length, 1);
        },
        { encoder: "random-indexing", window },
      ));
  }

  it("takes the caller's radius, up to everything", () =>
    withMemory(
      async (memory) => {
        await memory.addMany(TURNS);
        const options = { strategy: "hippocampus-paper", keywords: ["zeppelin"] } as const;
        assert.equal((await memory.recall("", { ...options, radius: 0 })).items.length, 0);
        assert.equal((await memory.recall("", { ...options, radius: 128 })).items.length, 6);
      },
      { encoder: "random-indexing" },
    ));
});
