import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { jsonElements } from "../../src/transfer/json-elements.js";

const LISTS = ["results", "points"];

async function elements(chunks: readonly (string | Uint8Array)[]): Promise<unknown[]> {
  const found: unknown[] = [];
  async function* source() {
    yield* chunks;
  }
  for await (const element of jsonElements(source(), LISTS, ["result"])) found.push(element);
  return found;
}

/** A text in pieces of so many bytes, which may cut a character in two. */
function cut(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text);
  const pieces: Uint8Array[] = [];
  for (let i = 0; i < bytes.length; i += size) pieces.push(bytes.subarray(i, i + size));
  return pieces;
}

describe("jsonElements", () => {
  it("gives each element of an array, whatever it is and however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown)),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(0, 2),
        async (values, size, indent) => {
          assert.deepEqual(await elements(cut(JSON.stringify(values, null, indent), size)), values);
        },
      ),
    );
  });

  it("gives the elements of lists within objects, and other objects whole", async () => {
    const page = { count: 2, results: [{ a: "}]" }, { a: [1, { results: [0] }] }], next: null };
    const qdrant = { result: { points: [{ id: 1 }], next_page_offset: null }, status: "ok" };
    const other = { id: "x", result: { of: "it" }, list: [{ results: [] }], n: 1.5e3 };
    for (const size of [1, 7, 1000]) {
      assert.deepEqual(await elements(cut(JSON.stringify(page), size)), page.results);
      assert.deepEqual(await elements(cut(JSON.stringify(qdrant, null, 2), size)), [{ id: 1 }]);
      assert.deepEqual(await elements(cut(JSON.stringify(other), size)), [other]);
      const lines = [page, other, qdrant, [5, "five"]].map((value) => JSON.stringify(value));
      assert.deepEqual(await elements(cut(`${lines.join("\n")}\n`, size)), [
        ...page.results,
        other,
        { id: 1 },
        ...[5, "five"],
      ]);
    }
    assert.deepEqual(await elements(['{"results":[]}']), []);
    assert.deepEqual(await elements([]), []);
    const own = JSON.parse('{"__proto__": 1, "b": 2}') as object;
    assert.deepEqual(Object.keys((await elements(['{"__proto__": 1, "b": 2}']))[0]!), [
      ...Object.keys(own),
    ]);
  });

  it("refuses what is no JSON", async () => {
    for (const text of [
      "[1, 2",
      '{"results": [{"a": 1}',
      "[1}",
      "]",
      "[nonsense]",
      '{"a": }',
      '"a',
    ]) {
      await assert.rejects(elements([text]), TypeError, text);
    }
    await assert.rejects(elements([new Uint8Array([0x22, 0xff, 0x22])]), TypeError);
  });
});
