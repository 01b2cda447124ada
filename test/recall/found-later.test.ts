import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { foundLater } from "../../src/recall/found-later.js";
import type { Entry } from "../../src/types.js";
import { withMemory } from "../lib/with-memory.js";

const TURNS = ["The cat is called Pixel.", "The cat is asleep.", "A dog barks."].map((content) => ({
  role: "user" as const,
  content,
}));

/** Whether V8 gives both the same hidden class, which only its own functions tell. */
function shareClass(a: object, b: object): boolean {
  setFlagsFromString("--allow-natives-syntax");
  return new Function("a", "b", "return %HaveSameMap(a, b)")(a, b);
}

describe("what of an item is found later", () => {
  it("is found when it is read, and not before", () => {
    let asked = 0;
    const reasons = { signature: 1 } as never;
    const item = foundLater({ id: "e1" } as Entry, { score: 1, pieces: [] }, () => {
      asked++;
      return { reasons, highlights: [[0, 3]] };
    });
    assert.equal(asked, 0);
    assert.equal(item.reasons, reasons);
    assert.deepEqual(item.highlights, [[0, 3]]);
    assert.equal(asked, 2);
  });

  it("is an item's own, as all else: copies, clones and JSON have it", () =>
    withMemory(async (memory) => {
      await memory.addMany(TURNS);
      const [item] = (await memory.recall("What is the cat called?")).items;
      assert.ok(item !== undefined);
      const plain = JSON.parse(JSON.stringify(item));
      assert.deepEqual(Object.keys(item).slice(-2), ["reasons", "highlights"]);
      assert.deepEqual(plain.reasons, item.reasons);
      assert.deepEqual({ ...item }, structuredClone(item));
      assert.deepEqual(plain.highlights, item.highlights);
    }));

  it("leaves all items one hidden class, so that none outlives its recall by its class", () =>
    withMemory(async (memory) => {
      await memory.addMany(TURNS);
      const recalled = () => memory.recall("What is the cat called?");
      // The first ones teach V8 which kinds of values there are.
      for (let i = 0; i < 3; i++) await recalled();
      const { items } = await recalled();
      const [again] = (await recalled()).items;
      assert.ok(items.length > 1);
      assert.ok(items.every((item) => shareClass(item, again!)));
    }));
});
