import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ACCELERATORS,
  type AcceleratorName,
  type Operation,
} from "../../src/accelerators/index.js";
import { REGISTRY } from "../../src/accelerators/registry.js";
import { isDentateError, Memory, type MemoryOptions } from "../../src/index.js";
import { withDirectory, withMemory } from "../lib/with-memory.js";
import { askAll, assertSameOrders, bundledTurns, type Orders, WAYS } from "./lib.js";

/** Small chunks: many, so that an accelerator has something to leave out. */
const OPTIONS: MemoryOptions = { chunkTurns: 1 };

async function answers(accelerator: AcceleratorName | undefined) {
  let found: Awaited<ReturnType<typeof askAll>> | undefined;
  await withMemory(
    async (memory) => {
      await memory.addMany(await bundledTurns());
      await memory.indexed();
      found = await askAll(memory);
    },
    { ...OPTIONS, accelerator },
  );
  return found!;
}

describe("a recall on an accelerator", () => {
  const reference = answers("reference");

  it("gives what the engine gives by itself", async () => {
    const alone = await answers(undefined);
    assertSameOrders((await reference).orders, alone.orders);
    assert.equal(alone.ran.size, 0);
  });

  for (const name of ACCELERATORS.filter((other) => other !== "reference")) {
    it(`gives on '${name}' what it gives on 'reference', and says what ran`, async (test) => {
      let found: Awaited<ReturnType<typeof answers>>;
      try {
        found = await answers(name);
      } catch (error) {
        if (!isDentateError(error, "DENTATE_UNAVAILABLE")) throw error;
        return test.skip(error.message);
      }
      assertSameOrders(found.orders, (await reference).orders);
      const { operations } = REGISTRY.get(name)!.manifest;
      const expected: Record<string, Operation[]> = {
        hybrid: ["hammingWithin"],
        hippocampus: ["hammingWithin"],
        "hippocampus-paper": ["hammingWithin"],
        "budget-rag": ["cosineTopK"],
        "first-singular-vector": ["firstSingularVectors", "cosineTopK"],
        subspace: ["subspaces", "cosineTopK"],
        centroid: ["embed", "cosineTopK"],
        "best-member": ["cosineTopK"],
      };
      for (const [way, needed] of Object.entries(expected)) {
        // One that can't do all of it is not asked for a part.
        const canAll = needed.every((operation) => operations[operation] !== undefined);
        const ran = [...(found.ran.get(way) ?? [])].sort();
        const all = needed.map((operation) => `${operation} ${name}`).sort();
        assert.deepEqual(ran, canAll ? all : [], way);
      }
    });
  }

  it("follows what is added, changed and deleted", async () => {
    const turns = await bundledTurns();
    const run = async (accelerator: AcceleratorName | undefined) => {
      const steps: Orders = [];
      await withMemory(
        async (memory) => {
          const step = async () => {
            await memory.indexed();
            steps.push(...(await askAll(memory)).orders);
          };
          const added = await memory.addMany(turns.slice(0, 150));
          await step();
          for (const turn of turns.slice(150, 170)) await memory.add(turn);
          await step();
          for (const { id } of added.slice(20, 110)) await memory.delete(id);
          await step();
          await memory.update(added[3]!.id, { content: "Mara drinks nine espressos a day now." });
          await memory.addMany(turns.slice(170));
          await step();
        },
        { ...OPTIONS, accelerator },
      );
      return steps;
    };
    assertSameOrders(await run("reference"), await run(undefined));
  });

  it("keeps to a filter, and to what was so at a time", async () => {
    const turns = await bundledTurns();
    const speaker = turns.find((turn) => turn.speaker !== undefined)!.speaker!;
    const run = async (accelerator: AcceleratorName | undefined) => {
      const found: Orders = [];
      await withMemory(
        async (memory) => {
          await memory.addMany(turns.slice(0, 200));
          await memory.indexed();
          found.push(...(await askAll(memory, { filter: { speaker } })).orders);
          found.push(
            ...(await askAll(memory, { filter: { session: turns[40]!.session! } })).orders,
          );
          found.push(...(await askAll(memory, { filter: { speaker: "nobody at all" } })).orders);
        },
        { ...OPTIONS, accelerator },
      );
      return found;
    };
    assertSameOrders(await run("reference"), await run(undefined));
  });

  it("keeps banks apart, and one that is dropped from the next of its name", async () => {
    const turns = await bundledTurns();
    await withMemory(
      async (memory) => {
        await memory.bank("a").addMany(turns.slice(0, 80));
        await memory.bank("b").addMany(turns.slice(80, 160));
        for (const name of ["a", "b"]) {
          await memory.bank(name).indexed();
          for (const way of WAYS) await memory.bank(name).recall("espressos", { ...way });
        }
        await memory.dropBank("a");
        await memory.bank("a").addMany(turns.slice(160, 240));
        await memory.bank("a").indexed();
        await memory.bank("c").addMany(turns.slice(160, 240));
        await memory.bank("c").indexed();
        for (const way of WAYS) {
          const ids = [];
          for (const name of ["a", "c"]) {
            const { items } = await memory.bank(name).recall("Who paid for the desk?", way);
            ids.push(items.map(({ id }) => id));
          }
          assert.deepEqual(ids[0], ids[1]);
        }
      },
      { ...OPTIONS, accelerator: "reference" },
    );
  });

  it("works in readers, over sealed parts, and after a reindex", () =>
    withDirectory(async (directory) => {
      const turns = await bundledTurns();
      const writer = await Memory.open(directory, { ...OPTIONS, accelerator: "reference" });
      const plain = await Memory.open(directory, { ...OPTIONS });
      try {
        await writer.addMany(turns.slice(0, 150));
        await writer.indexed();
        await writer.seal();
        await writer.addMany(turns.slice(150));
        await writer.indexed();
        await writer.flush();
        const reader = await Memory.open(directory, { readOnly: true, accelerator: "reference" });
        try {
          const expected = (await askAll(plain)).orders;
          assertSameOrders((await askAll(writer)).orders, expected);
          await writer.compact();
          assertSameOrders((await askAll(writer)).orders, expected);
          await reader.refresh();
          assertSameOrders((await askAll(reader)).orders, expected);
        } finally {
          await reader.close();
        }
      } finally {
        await plain.close();
        await writer.close();
      }
      const again = await Memory.open(directory, { ...OPTIONS, accelerator: "reference" });
      try {
        const before = (await askAll(again)).orders;
        await again.reindex();
        await again.indexed();
        assertSameOrders((await askAll(again)).orders, before);
      } finally {
        await again.close();
      }
    }));
});
