import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { isDentateError } from "../../src/errors.js";
import type { AddResult } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

describe("many calls at once", () => {
  it("find in the next recall what an add resolved for", () =>
    withMemory(async (memory) => {
      const agent = async (name: string) => {
        for (let i = 0; i < 10; i++) {
          const word = `${name}qz${i}`;
          const { id } = await memory.add({ role: "user", content: `the word is ${word}` });
          const { items } = await memory.recall(`Is ${word} the word?`, { budget: 100 });
          assert.ok(
            items.some((item) => item.id === id && item.content.endsWith(word)),
            word,
          );
        }
      };
      await Promise.all(Array.from({ length: 32 }, (_, i) => agent(`agent${i}`)));
      assert.equal((await memory.stats()).entries, 320);
    }));

  it("keep the order of adds that were not awaited", () =>
    withMemory(async (memory) => {
      const adds = Array.from({ length: 500 }, (_, i) =>
        memory.add({ role: "user", content: `number ${i}` }),
      );
      const ids = (await Promise.all(adds)).map(({ id }) => id);
      assert.deepEqual(
        ids,
        Array.from({ length: 500 }, (_, i) => `e${i + 1}`),
      );
      const entries = await memory.list({ limit: 1000 });
      assert.deepEqual(
        entries.map(({ content }) => content),
        Array.from({ length: 500 }, (_, i) => `number ${i}`),
      );
    }));

  it("keep it also where threads encode some of them, and others write between", () =>
    withMemory(async (memory) => {
      const sent: string[] = [];
      const adds: Promise<AddResult>[] = [];
      const others: Promise<unknown>[] = [];
      for (let round = 0; round < 60; round++) {
        for (let i = 0; i < [1, 40, 3, 100, 17][round % 5]!; i++) {
          const content = `number ${i} of round ${round} ${"and so on ".repeat(round % 4)}`;
          sent.push(content);
          adds.push(memory.add({ role: "user", content }));
        }
        if (round % 7 === 3) others.push(memory.deleteWhere({ ingestedAt: { lt: 0 } }));
        if (round % 3 === 0) await setImmediate();
      }
      const ids = (await Promise.all(adds)).map(({ id }) => id);
      await Promise.all(others);
      const entries = await memory.list({ limit: 10_000 });
      assert.deepEqual(
        entries.map(({ content }) => content),
        sent,
      );
      assert.deepEqual(
        ids,
        entries.map(({ id }) => id),
      );
    }));

  it("refuse a turn that is none without harm to those added beside it", () =>
    withMemory(async (memory) => {
      const adds = Array.from({ length: 200 }, (_, i) =>
        memory
          .bank(`bank${i % 3}`)
          .add(
            i % 7 === 0
              ? { role: "user", content: 7 as unknown as string }
              : { role: "user", content: `number ${i % 50}` },
            { dedupe: i % 2 === 0 },
          ),
      );
      const held = new Set<string>();
      for (const [i, result] of (await Promise.allSettled(adds)).entries()) {
        const key = `${i % 3} ${i % 50}`;
        assert.equal(result.status, i % 7 === 0 ? "rejected" : "fulfilled");
        if (result.status === "rejected") continue;
        assert.equal(result.value.status, held.has(key) ? "duplicate" : "added", key);
        held.add(key);
      }
    }));

  it("come before what is written after them, and after what was before", () =>
    withMemory(async (memory) => {
      const turn = (i: number) => ({ role: "user" as const, content: `number ${i}` });
      const { id } = await memory.add(turn(0));
      const [first, [second], third, , fifth] = await Promise.all([
        memory.add(turn(1)),
        memory.addMany([turn(2)]),
        memory.add(turn(3)),
        memory.update(id, { content: "another" }),
        memory.add(turn(5)),
        memory.deleteWhere({ ingestedAt: { lt: 0 } }),
      ]);
      assert.deepEqual([first.id, second!.id, third.id, fifth.id], ["e2", "e3", "e4", "e6"]);
      const added = memory.add(turn(6));
      await memory.close();
      assert.equal((await added).id, "e7");
    }));

  it("let a recall end, with all or nothing, on a bank that is dropped meanwhile", () =>
    withMemory(async (memory) => {
      const bank = memory.bank("brief");
      await bank.add({ role: "user", content: "a lamp" });
      const recall = bank.recall("lamp");
      await memory.dropBank("brief");
      const { items } = await recall;
      assert.ok(items.length === 0 || items[0]!.content === "a lamp");
      assert.deepEqual((await bank.recall("lamp")).items, []);
    }));

  it("let a recall see what was added while its keywords were sought", () =>
    withMemory(async (memory) => {
      const bank = memory.bank("new");
      const keywords = async () => {
        await bank.add({ role: "user", content: "a lamp" });
        return ["lamp"];
      };
      assert.equal((await bank.recall("", { keywords })).items.length, 1);
    }));

  // The only guard of slices.ts: adds resolve at once, so that without it a program that only adds
  // never leaves its microtasks.
  it("let timers run", () =>
    withMemory(async (memory) => {
      let ticks = 0;
      const timer = setInterval(() => ticks++, 1);
      const agent = async () => {
        for (let i = 0; i < 50; i++) await memory.add({ role: "user", content: `turn ${i}` });
      };
      await Promise.all(Array.from({ length: 64 }, agent));
      clearInterval(timer);
      // Dozens of slices; the busier the machine, the shorter they are.
      assert.ok(ticks > 2, `${ticks} ticks`);
    }));

  it("let timers run while a long turn is encoded", () =>
    withMemory(async (memory) => {
      let ticks = 0;
      const timer = setInterval(() => ticks++, 1);
      await memory.add({ role: "user", content: "a word, and another ".repeat(100_000) });
      clearInterval(timer);
      assert.ok(ticks > 0);
    }));
});

describe("an AbortSignal", () => {
  it("ends a recall at any moment of it, and nothing else", () =>
    withMemory(async (memory) => {
      await memory.addMany(
        Array.from({ length: 3000 }, (_, i) => ({
          role: "user" as const,
          content: `the river runs past house ${i} and the old mill number ${i % 97}`,
        })),
      );
      let aborted = 0;
      for (let round = 0; round < 60; round++) {
        const controller = new AbortController();
        const recall = memory.recall(`river house mill ${round}`, { signal: controller.signal });
        // The first ones at once, the others whenever it comes to it: some when they have ended.
        if (round < 5) controller.abort();
        else setTimeout(() => controller.abort(), round / 20);
        try {
          assert.ok((await recall).items.length > 0);
        } catch (error) {
          assert.ok(isDentateError(error, "DENTATE_ABORTED"));
          aborted++;
        }
      }
      assert.ok(aborted >= 5);
      assert.ok((await memory.recall("river")).items.length > 0);
    }));
});
