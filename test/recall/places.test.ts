import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Memory, RecallOptions, Turn } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

const DAY = 86_400_000;
/** A Friday. */
const NOW = Date.UTC(2024, 2, 15, 10);

/** Turns that differ in nothing that a question could name. */
function alike(count: number, more: (i: number) => Partial<Turn>): Turn[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{
      role: "user" as const,
      content: `We walked along the river ${"abcdefghij"[i % 10]}`,
      at: i,
    },
    ...more(i),
  }));
}

/** The index of the turn that is recalled first; ids are e1, e2, ... */
async function first(memory: Memory, question: string, options?: RecallOptions): Promise<number> {
  const { items } = await memory.recall(question, { budget: 400, at: NOW, ...options });
  return Number(items[0]!.id.slice(1)) - 1;
}

describe("a time that the question names", () => {
  const days = alike(60, (i) => ({ at: NOW - (59 - i) * DAY, session: `s${i}` }));

  for (const [when, least, most] of [
    ["yesterday", 58, 58],
    ["three days ago", 56, 56],
    ["on Monday", 55, 55],
    ["last week", 48, 54],
    ["gestern", 58, 58],
    ["il y a trois jours", 56, 56],
  ] as const) {
    it(`lifts what was said then: ${when}`, () =>
      withMemory(async (memory) => {
        await memory.addMany(days);
        const found = await first(memory, `Where did we walk ${when}?`);
        assert.ok(found >= least && found <= most, `entry ${found}`);
      }));
  }

  it("is shown in the reasons, which add up to the score", () =>
    withMemory(async (memory) => {
      await memory.addMany(days);
      const { items } = await memory.recall("Where did we walk yesterday?", { at: NOW });
      const { signature, neighbour, dense, place, other, places } = items[0]!.reasons;
      assert.deepEqual(places, ["yesterday"]);
      assert.ok(place > 0);
      assert.ok(Math.abs(signature + neighbour + dense + place + other - items[0]!.score) < 1e-5);
      assert.deepEqual(items.at(-1)!.reasons.places, []);
    }));

  it("is the time of what happened, whenever it was told", () =>
    withMemory(async (memory) => {
      await memory.addMany([...days].reverse());
      assert.equal(await first(memory, "Where did we walk three days ago?"), 59 - 56);
    }));

  it("is that of an event that only the memory knows", () =>
    withMemory(async (memory) => {
      await memory.addMany(days);
      const at = NOW - 20 * DAY;
      await memory.add({ role: "user", content: "Today was the zebra parade", at, session: "z" });
      for (const [side, least, most] of [
        ["before", 9, 40],
        ["after", 38, 59],
        ["during", 38, 40],
      ] as const) {
        const question = `Where did we walk along the river ${side} the zebra parade?`;
        const { items } = await memory.recall(question, { at: NOW, budget: 400 });
        const walks = items.filter(({ id }) => id !== "e61").slice(0, 1);
        for (const { id, reasons } of walks) {
          const found = Number(id.slice(1)) - 1;
          assert.ok(found >= least && found <= most, `${side}: ${found}`);
          assert.deepEqual(reasons.places, [`${side} the zebra parade`]);
        }
      }
    }));

  it("leaves nothing out", () =>
    withMemory(async (memory) => {
      await memory.addMany(days);
      await memory.add({ role: "user", content: "The zebra is called Zelda", at: NOW - 40 * DAY });
      assert.equal(await first(memory, "What was the zebra called that we saw yesterday?"), 60);
    }));
});

describe("a place in the order of things that the question names", () => {
  const asked = "What did we do at step 12?";

  it("is the number that the entries carry, from 0 or from 1", () =>
    withMemory(async (memory) => {
      const zero = memory.bank("zero");
      await zero.addMany(alike(40, (i) => ({ metadata: { step: i } })));
      assert.equal((await zero.recall(asked)).items[0]!.id, "e13");
      const one = memory.bank("one");
      await one.addMany(alike(40, (i) => ({ metadata: { turn_idx: i + 1 } })));
      assert.equal((await one.recall(asked)).items[0]!.id, "e12");
    }));

  it("is the number that the texts begin with", () =>
    withMemory(async (memory) => {
      await memory.addMany(
        alike(40, (i) => ({ content: `Turn ${i + 5}: we walked along the river` })),
      );
      const { items } = await memory.recall(asked);
      assert.equal(items[0]!.id, "e8");
      assert.ok(items[0]!.reasons.places.includes("step 12"));
    }));

  it("is a pair of turns where an agent acts and observes", () =>
    withMemory(async (memory) => {
      await memory.addMany(alike(80, (i) => ({ role: i % 2 === 0 ? "assistant" : "tool" })));
      const found = await first(memory, asked);
      assert.ok(found >= 22 && found <= 25, `entry ${found}`);
    }));

  it("lifts what lies beside it, but less", () =>
    withMemory(async (memory) => {
      await memory.addMany(alike(40, (i) => ({ metadata: { step: i } })));
      const { items } = await memory.recall(asked, { budget: 60 });
      const ids = items.map(({ id }) => Number(id.slice(1)));
      assert.deepEqual(ids.slice(0, 3).sort(), [12, 13, 14]);
      for (const id of ids) assert.ok(Math.abs(id - 13) <= 4, String(ids));
    }));

  for (const [question, least, most] of [
    ["What was the third message?", 2, 2],
    ["What did we do at the beginning?", 0, 2],
    ["What was the last message about?", 39, 39],
    ["What did we do between steps 10 and 14?", 9, 14],
    ["What did we say in the last two turns?", 38, 39],
  ] as const) {
    it(`is counted where nothing carries a number: ${question}`, () =>
      withMemory(async (memory) => {
        await memory.addMany(alike(40, () => ({})));
        const found = await first(memory, question);
        assert.ok(found >= least && found <= most, `entry ${found}`);
      }));
  }

  it("is counted among what is there, in the order of time", () =>
    withMemory(async (memory) => {
      const added = await memory.addMany(alike(40, (i) => ({ at: NOW - i * DAY })));
      await memory.delete(added[39]!.id);
      assert.equal(await first(memory, "What was the third message?"), 36);
      assert.equal(await first(memory, "What was the last message about?"), 0);
    }));

  it("is in the session that is named, or else in the running one", () =>
    withMemory(async (memory) => {
      await memory.addMany(
        alike(60, (i) => ({ session: `s${Math.floor(i / 20)}`, metadata: { step: i % 20 } })),
      );
      assert.equal(await first(memory, asked), 52);
      assert.equal(await first(memory, "Step 12 of the first session?"), 12);
      assert.equal(await first(memory, "What was the third message of session 2?"), 22);
    }));

  it("is a whole session", () =>
    withMemory(async (memory) => {
      await memory.addMany(alike(60, (i) => ({ session: `s${Math.floor(i / 20)}` })));
      const found = await first(memory, "Where did we walk in the second session?");
      assert.ok(found >= 20 && found < 40, `entry ${found}`);
    }));

  it("can be one that is not there", () =>
    withMemory(async (memory) => {
      await memory.addMany(alike(4, (i) => ({ metadata: { step: i } })));
      for (const question of ["step 900?", "session 9?", "the 40th turn", "message 0"]) {
        assert.ok((await memory.recall(`Did we walk in ${question}`)).items.length > 0);
      }
    }));
});
