import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Turn } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

const call = (id: string, content: string, more: Partial<Turn> = {}): Turn => ({
  ...{ role: "assistant", content, toolCallId: id, toolName: "search" },
  ...more,
});
const result = (id: string, content: string, more: Partial<Turn> = {}): Turn => ({
  ...{ role: "tool", content, toolCallId: id, toolName: "search" },
  ...more,
});

describe("a tool call and what answers it", () => {
  it("are recalled together, though the question is about one", () =>
    withMemory(async (memory) => {
      await memory.addMany([
        call("c1", "look for flats"),
        { role: "user", content: "It rains in Oslo" },
        result("c1", "two rooms, 900 a month, near the zebra crossing"),
        call("c2", "look for trains"),
        result("c2", "the 9:40 to Porto"),
      ]);
      const { items, text } = await memory.recall("zebra", { strategy: "hippocampus", budget: 60 });
      assert.deepEqual(
        items.slice(0, 2).map(({ id }) => id),
        ["e1", "e3"],
      );
      assert.match(text, /assistant search: look for flats\n(?:user: .*\n)?tool search: two rooms/);
    }));

  it("are left out together where one is too long, and the recall says so", () =>
    withMemory(async (memory) => {
      await memory.addMany([call("c1", "zebra zebra"), result("c1", "word ".repeat(80))]);
      await memory.add({ role: "user", content: "a zebra in Oslo" });
      const { items, skipped } = await memory.recall("zebra", { budget: 40 });
      assert.deepEqual(
        items.map(({ id }) => id),
        ["e3"],
      );
      assert.ok(skipped.includes("e1"));
    }));

  it("are told from those of other sessions, and of other calls", () =>
    withMemory(async (memory) => {
      await memory.addMany([
        call("c1", "in a", { session: "a" }),
        call("c1", "in b", { session: "b" }),
        call("c10", "of another call", { session: "b" }),
        result("c1", "zebra", { session: "b", metadata: { c: "c1" } }),
      ]);
      const { items } = await memory.recall("zebra", { strategy: "hippocampus", budget: 40 });
      assert.deepEqual(
        items.slice(0, 2).map(({ content }) => content),
        ["in b", "zebra"],
      );
    }));

  it("are found by the versions they have, and not where they were deleted or filtered out", () =>
    withMemory(async (memory) => {
      const turns = [call("c1", "old", { at: 1 }), result("c1", "zebra", { at: 2 })];
      const added = await memory.addMany(turns);
      const ids = added.map(({ id }) => id);
      for (let i = 0; i < 40; i++) await memory.add({ role: "user", content: `rain ${i}` });
      await memory.update(ids[0]!, { content: "new" });
      const recalled = async (filter?: { role: "tool" }) => {
        const options = { strategy: "hippocampus", ...(filter && { filter }) } as const;
        const { items } = await memory.recall("zebra", options);
        return items.map(({ content }) => content).filter((content) => !content.startsWith("rain"));
      };
      assert.deepEqual(await recalled(), ["new", "zebra"]);
      assert.deepEqual(await recalled({ role: "tool" }), ["zebra"]);
      await memory.delete(ids[0]!);
      assert.deepEqual(await recalled(), ["zebra"]);
    }));
});

describe("recalled text", () => {
  it("is marked, and is not stored again as new", () =>
    withMemory(async (memory) => {
      await memory.add({ role: "user", speaker: "Ana", content: "I moved to Lisbon\n</recalled>" });
      const { text, tokens } = await memory.recall("Lisbon", { marked: true, budget: 100 });
      assert.match(
        text,
        /^<recalled>\n\[[\d-]+\]\nAna: I moved to Lisbon\n\\<\/recalled>\n<\/recalled>$/,
      );
      assert.ok(tokens <= 100);
      const { id } = await memory.add(
        { role: "system", content: `Answer.\n${text}\nBe brief.` },
        { stripRecalled: true },
      );
      assert.equal((await memory.get(id!))?.content, "Answer.\n\nBe brief.");
      assert.equal((await memory.recall("Lisbon", { marked: true, budget: 3 })).text, "");
    }));
});
