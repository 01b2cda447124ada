import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type Bank, type Filter, type Memory, STRATEGIES, type Turn } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

const user = (content: string, more: Partial<Turn> = {}): Turn => ({
  role: "user",
  content,
  ...more,
});
const contents = async (bank: Bank | Memory) =>
  (await bank.list({ limit: 1000 })).map(({ content }) => content);

/** What each strategy recalls with room for everything. */
async function recalled(bank: Bank | Memory, question: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (const strategy of STRATEGIES) {
    const { items, skipped } = await bank.recall(question, { strategy, budget: 1e6, radius: 20 });
    for (const { content } of items) found.add(content);
    assert.deepEqual(skipped, []);
  }
  return found;
}

describe("delete", () => {
  it("takes an entry out of everything at once, and says how many it was", () =>
    withMemory(async (memory) => {
      const texts = Array.from({ length: 50 }, (_, i) => `the lamp number ${i} is on`);
      await memory.addMany(texts.map((text) => user(text, { session: `s${numberIn(text) % 7}` })));
      assert.equal(await memory.delete("e11"), 1);
      assert.equal(await memory.delete("e11"), 0);
      for (const nobody of ["e99", "x", "e0"]) assert.equal(await memory.delete(nobody), 0);
      assert.equal(await memory.get("e11"), undefined);
      assert.deepEqual(await memory.history("e11"), []);
      const left = texts.filter((_, i) => i !== 10);
      assert.deepEqual(await contents(memory), left);
      assert.deepEqual(await recalled(memory, "Which lamp is on?"), new Set(left));
      const { entries, sessions } = await memory.stats();
      assert.deepEqual({ entries, sessions }, { entries: 49, sessions: 7 });
      assert.equal((await memory.add(user("after"))).id, "e51");
    }));

  it("leaves no place empty among the best", () =>
    withMemory(async (memory) => {
      await memory.addMany(Array.from({ length: 100 }, (_, i) => user(`the lamp ${i}`)));
      const ask = async () => (await memory.recall("lamp", { budget: 60 })).items;
      const before = await ask();
      for (const { id } of before) await memory.delete(id);
      const after = await ask();
      assert.ok(after.length >= before.length - 1);
      assert.ok(after.every(({ id }) => before.every((item) => item.id !== id)));
    }));

  it("ends a session, a speaker and the bank with their last entry", () =>
    withMemory(async (memory) => {
      await memory.add(user("hello", { session: "a", speaker: "Ana" }));
      await memory.delete("e1");
      assert.deepEqual(await contents(memory), []);
      assert.deepEqual(await recalled(memory, "What did Ana say?"), new Set());
      const { entries, tokens, sessions } = await memory.stats();
      assert.deepEqual({ entries, tokens, sessions }, { entries: 0, tokens: 0, sessions: 0 });
    }));
});

describe("deleteWhere", () => {
  it("counts what it deletes, and leaves the rest", () =>
    withMemory(async (memory) => {
      await memory.addMany(
        Array.from({ length: 300 }, (_, i) => user(`turn ${i}`, { metadata: { n: i } })),
      );
      assert.equal(await memory.deleteWhere({ metadata: { n: { gte: 100 } } }), 200);
      assert.equal(await memory.deleteWhere({ metadata: { n: { gte: 100 } } }), 0);
      assert.equal((await contents(memory)).length, 100);
      assert.equal(await memory.bank("other").deleteWhere({ role: "user" }), 0);
    }));

  it("deletes nothing that was changed to something else, or is another bank's, meanwhile", () =>
    withMemory(async (memory) => {
      const pad = "x".repeat(500);
      const many = Array.from({ length: 10_000 }, (_, n) =>
        user(`turn ${n}`, { metadata: { n, pad } }),
      );
      const filter = { metadata: { n: { gte: 0 } } };
      await memory.addMany(many);
      const deleting = memory.deleteWhere(filter);
      await memory.update("e10", { metadata: {} });
      await memory.update("e20", { content: "again" });
      assert.equal(await deleting, 9999);
      assert.deepEqual(await contents(memory), ["turn 9"]);

      const bank = memory.bank("dropped");
      await bank.addMany(many);
      const late = bank.deleteWhere(filter);
      await wait(0);
      await memory.dropBank("dropped");
      await bank.add(user("new", { metadata: { n: 1 } }));
      await late;
      assert.deepEqual(await contents(bank), ["new"]);
    }));

  it("wants a condition", () =>
    withMemory(async (memory) => {
      await memory.add(user("hello"));
      const empty: Filter[] = [
        {},
        { and: [] },
        { and: [{}] },
        { or: [{}, { role: "user" }] },
        { at: {} },
        { ingestedAt: {} },
        { metadata: {} },
        { metadata: { n: {} } },
      ];
      for (const none of empty) {
        await assert.rejects(memory.deleteWhere(none), /^TypeError: filter: .*condition/);
      }
      assert.equal((await contents(memory)).length, 1);
    }));
});

describe("expiresAt", () => {
  it("forgets a turn when its time has come, and not before", () =>
    withMemory(async (memory) => {
      const soon = Date.now() + 300;
      await memory.addMany([
        user("the lamp is gone already", { expiresAt: Date.now() - 1000 }),
        user("the lamp is there", { expiresAt: soon }),
        user("the lamp stays", { expiresAt: "2999-01-01" }),
        user("the lamp stays for ever"),
      ]);
      const early = await contents(memory);
      if (Date.now() < soon) assert.ok(early.includes("the lamp is there"));
      assert.ok(!early.includes("the lamp is gone already"));
      assert.deepEqual((await memory.get("e3"))!.expiresAt, new Date("2999-01-01"));
      assert.equal((await memory.get("e4"))!.expiresAt, undefined);
      assert.equal(await memory.get("e1"), undefined);
      await wait(Math.max(0, soon + 5 - Date.now()));
      const left = ["the lamp stays", "the lamp stays for ever"];
      assert.deepEqual(await contents(memory), left);
      assert.deepEqual(await recalled(memory, "Where is the lamp?"), new Set(left));
      assert.equal(await memory.get("e2"), undefined);
      assert.equal((await memory.stats()).entries, 2);
    }));

  it("can be changed", () =>
    withMemory(async (memory) => {
      await memory.add(user("a note", { expiresAt: "2999-01-01" }));
      await memory.update("e1", { expiresAt: null });
      assert.equal((await memory.get("e1"))!.expiresAt, undefined);
      await memory.update("e1", { expiresAt: Date.now() - 1 });
      assert.equal(await memory.get("e1"), undefined);
    }));
});

describe("dedupe", () => {
  it("stores nothing twice, and names what was there", () =>
    withMemory(async (memory) => {
      await memory.addMany([user("one"), user("two")]);
      const dedupe = true;
      assert.deepEqual(await memory.add(user("one"), { dedupe }), {
        id: "e1",
        status: "duplicate",
      });
      const many = await memory.addMany([user("three"), user("two"), user("three")], { dedupe });
      assert.deepEqual(many, [
        { id: "e3", status: "added" },
        { id: "e2", status: "duplicate" },
        { id: "e3", status: "duplicate" },
      ]);
      assert.deepEqual(await contents(memory), ["one", "two", "three"]);
      await memory.delete("e1");
      assert.equal((await memory.add(user("one"), { dedupe })).status, "added");
    }));

  it("takes nothing for a duplicate of what is expired, in the same call neither", () =>
    withMemory(async (memory) => {
      const dedupe = true;
      const expiresAt = Date.now() - 1;
      const results = await memory.addMany(
        [user("one", { expiresAt }), user("one", { expiresAt }), user("one"), user("one")],
        { dedupe },
      );
      assert.deepEqual(results, [
        { id: "e1", status: "added" },
        { id: "e2", status: "added" },
        { id: "e3", status: "added" },
        { id: "e3", status: "duplicate" },
      ]);
      const adds = [user("two", { expiresAt }), user("two")].map((turn) =>
        memory.add(turn, { dedupe }),
      );
      assert.deepEqual(await Promise.all(adds), [
        { id: "e4", status: "added" },
        { id: "e5", status: "added" },
      ]);
      assert.deepEqual(await contents(memory), ["one", "two"]);
    }));

  it("knows an updated entry by its id", () =>
    withMemory(async (memory) => {
      await memory.add(user("old"));
      await memory.update("e1", { content: "new" });
      const again = await memory.add(user("new"), { dedupe: true });
      assert.deepEqual(again, { id: "e1", status: "duplicate" });
      assert.equal((await memory.add(user("old"), { dedupe: true })).status, "added");
    }));
});

describe("the forgetting curve", () => {
  const day = 86_400_000;
  it("is off unless asked for; then the old fades, and what is recalled keeps", () =>
    withMemory(async (memory) => {
      const old = Date.now() - 100 * day;
      await memory.addMany([
        user("the blue lamp stands in the hall", { at: old, session: "a" }),
        user("the lamp is blue", { at: Date.now() - day, session: "b" }),
      ]);
      const ask = async (forgetting?: { halfLife: number; weight: number }) =>
        (await memory.recall("the blue lamp in the hall", { strategy: "hippocampus", forgetting }))
          .items;
      assert.equal((await ask())[0]!.id, "e1");
      const curve = { halfLife: 10 * day, weight: 1 };
      const faded = await ask(curve);
      assert.equal(faded[0]!.id, "e2");
      for (const { score, reasons } of faded) {
        const { signature, neighbour, dense, other } = reasons;
        assert.ok(Math.abs(score - signature - neighbour - dense - other) < 1e-6);
      }
      // Both were recalled by now: the better one is the first again.
      assert.equal((await ask(curve))[0]!.id, "e1");
    }));
});

function numberIn(text: string): number {
  return Number(/\d+/.exec(text)![0]);
}
