import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { STRATEGIES, type Turn, type TurnPatch } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

const turn: Turn = {
  role: "tool",
  content: "the flat is in Lisbon",
  speaker: "Ana",
  session: "s1",
  at: "2026-01-05T10:00:00Z",
  toolCallId: "call_1",
  toolName: "notes",
  metadata: { n: 1 },
  expiresAt: "2999-01-01",
};

describe("update", () => {
  it("changes what the patch has, and nothing else", () =>
    withMemory(async (memory) => {
      await memory.add(turn);
      const before = (await memory.get("e1"))!;
      const updated = (await memory.update("e1", { content: "the flat is in Porto" }))!;
      const { span, ingestedAt, ...rest } = before;
      assert.deepEqual(updated, {
        ...rest,
        content: "the flat is in Porto",
        version: 2,
        ingestedAt: updated.ingestedAt,
        span: updated.span,
      });
      assert.notDeepEqual(updated.span, span);
      assert.ok(updated.ingestedAt >= ingestedAt);
      assert.deepEqual(await memory.get("e1"), updated);
    }));

  it("keeps the count of replaced characters until the text is another", () =>
    withMemory(async (memory) => {
      await memory.add({ role: "user", content: "\ud800 and \udc00" });
      const replaced = async (patch: TurnPatch) =>
        (await memory.update("e1", patch))!.replacedCharacters;
      assert.equal(await replaced({ speaker: "Ana" }), 2);
      assert.equal(await replaced({ content: "\ud800" }), 1);
      assert.equal(await replaced({ content: "\ufffd" }), 0);
      assert.deepEqual(
        (await memory.history("e1")).map(({ replacedCharacters }) => replacedCharacters),
        [2, 2, 1, 0],
      );
    }));

  it("takes away what a turn may lack", () =>
    withMemory(async (memory) => {
      await memory.add(turn);
      const none = { speaker: null, toolCallId: null, toolName: null, metadata: null };
      const entry = (await memory.update("e1", { ...none, expiresAt: null, role: "user" }))!;
      const { role, speaker, toolCallId, toolName, metadata, expiresAt } = entry;
      assert.deepEqual(
        { role, speaker, toolCallId, toolName, metadata, expiresAt },
        {
          role: "user",
          speaker: undefined,
          toolCallId: undefined,
          toolName: undefined,
          metadata: {},
          expiresAt: undefined,
        },
      );
    }));

  it("finds nothing to change where there is nothing", () =>
    withMemory(async (memory) => {
      await memory.add(turn);
      await memory.update("e1", { content: "x" });
      for (const id of ["e2", "e3", "e0", "x"]) {
        assert.equal(await memory.update(id, { content: "y" }), undefined, id);
      }
      await memory.delete("e1");
      assert.equal(await memory.update("e1", { content: "y" }), undefined);
      assert.deepEqual(await memory.list(), []);
    }));

  it("refuses what would be no turn", () =>
    withMemory(async (memory) => {
      await memory.add(turn);
      const update = (patch: unknown) => memory.update("e1", patch as object);
      await assert.rejects(update({ content: null }), /^TypeError: patch\.content/);
      await assert.rejects(update({ role: "user" }), /^TypeError: patch\.toolCallId/);
      await assert.rejects(update({ sesion: "s" }), /^TypeError: patch\.sesion/);
      await assert.rejects(update(undefined), /^TypeError: patch/);
      assert.equal((await memory.get("e1"))!.version, 1);
    }));

  it("takes changes at the same time one after the other", () =>
    withMemory(async (memory) => {
      await memory.add({ role: "user", content: "0" });
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          memory.update("e1", i % 2 === 0 ? { content: String(i) } : { metadata: { i } }),
        ),
      );
      const { content, metadata, version } = (await memory.get("e1"))!;
      assert.deepEqual(
        { content, metadata, version },
        { content: "18", metadata: { i: 19 }, version: 21 },
      );
    }));
});

describe("history", () => {
  it("has all versions, oldest first, and no recall has the old ones", () =>
    withMemory(async (memory) => {
      const places = ["Lisbon", "Porto", "Faro"];
      await memory.add({ role: "user", content: `the flat is in ${places[0]}` });
      await memory.add({ role: "user", content: "the garage is in Sintra" });
      for (const place of places.slice(1)) {
        await memory.update("e1", { content: `the flat is in ${place}` });
      }
      const versions = await memory.history("e1");
      assert.deepEqual(
        versions.map(({ id, content, version }) => ({ id, content, version })),
        places.map((place, i) => ({
          id: "e1",
          content: `the flat is in ${place}`,
          version: i + 1,
        })),
      );
      assert.equal((await memory.history("e2")).length, 1);
      for (const nobody of ["e3", "e4", "x"]) assert.deepEqual(await memory.history(nobody), []);
      assert.deepEqual(
        (await memory.list()).map(({ id, version }) => ({ id, version })),
        [
          { id: "e1", version: 3 },
          { id: "e2", version: 1 },
        ],
      );
      assert.deepEqual(
        (await memory.list({ after: "e1" })).map(({ id }) => id),
        ["e2"],
      );
      for (const strategy of STRATEGIES) {
        for (const place of ["Lisbon", "Porto"]) {
          const { text } = await memory.recall(`Is the flat in ${place}?`, { strategy });
          assert.ok(!text.includes(place), `${strategy}: ${text}`);
        }
      }
      assert.ok((await memory.recall("the flat")).items.some(({ id }) => id === "e1"));
      assert.equal(await memory.delete("e1"), 1);
      assert.deepEqual(await memory.history("e1"), []);
      assert.equal((await memory.stats()).entries, 1);
    }));
});

describe("asOf", () => {
  it("recalls what was known then, less what was deleted since", () =>
    withMemory(async (memory) => {
      await memory.addMany([
        { role: "user", content: "the flat is in Lisbon" },
        { role: "user", content: "the flat costs much" },
      ]);
      await wait(5);
      const then = new Date();
      await wait(5);
      await memory.update("e1", { content: "the flat is in Porto" });
      await memory.add({ role: "user", content: "the flat is light", at: 0 });
      const recall = async (asOf?: Date) =>
        (await memory.recall("the flat", { strategy: "recency", asOf })).items
          .map(({ content }) => content)
          .sort();
      assert.deepEqual(await recall(), [
        "the flat costs much",
        "the flat is in Porto",
        "the flat is light",
      ]);
      assert.deepEqual(await recall(then), ["the flat costs much", "the flat is in Lisbon"]);
      assert.deepEqual(await recall(new Date(0)), []);
      const { items } = await memory.recall("Is it in Lisbon?", { asOf: then });
      assert.equal(items[0]!.content, "the flat is in Lisbon");
      assert.equal(items[0]!.id, "e1");
      await memory.delete("e2");
      assert.deepEqual(await recall(then), ["the flat is in Lisbon"]);
    }));
});
