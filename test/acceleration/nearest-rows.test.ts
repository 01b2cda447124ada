import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { proposalOf, proposeRows } from "../../src/acceleration/nearest-rows.js";
import { Random } from "../lib/random.js";

describe("rows that an accelerator proposes", () => {
  it("hold the nearest that are wanted, however far off its scores are", async () => {
    const random = new Random();
    for (let round = 0; round < 300; round++) {
      const count = random.below(400);
      const tolerance = [0, 0.001, 0.05][round % 3]!;
      const exact = Array.from({ length: count }, () => random.next() ** 3);
      const seen = exact.map((score) => score + (2 * random.next() - 1) * tolerance);
      const wanted = exact.map(() => random.next() < [0.02, 0.5, 1][random.below(3)]!);
      const order = [...seen.keys()].sort((a, b) => seen[b]! - seen[a]!);
      let fetched = 0;
      const fetch = async (k: number) => {
        fetched = Math.max(fetched, k);
        const rows = order.slice(0, k).map((row) => ({ row, score: seen[row]! }));
        return { rows, floor: k < count ? rows.at(-1)!.score : Number.NEGATIVE_INFINITY };
      };
      const need = random.below(40);
      const isWanted = (row: number) => wanted[row]!;
      const found = await proposeRows(fetch, count, need, 2 * tolerance, isWanted);
      const rows = new Set(found.map(({ row }) => row));
      const nearest = [...exact.keys()]
        .filter(isWanted)
        .sort((a, b) => exact[b]! - exact[a]!)
        .slice(0, need);
      for (const row of nearest) assert.ok(rows.has(row), `DENTATE_SEED=${random.seed}`);
      assert.ok(found.every(({ row }) => wanted[row]));
    }
  });

  it("are few where it is exact", async () => {
    const scores = Array.from({ length: 10_000 }, (_, i) => 1 - i / 10_000);
    let fetched = 0;
    const found = await proposeRows(
      async (k) => {
        fetched = k;
        const rows = scores.slice(0, k).map((score, row) => ({ row, score }));
        return { rows, floor: rows.at(-1)!.score };
      },
      scores.length,
      10,
      1e-5,
      () => true,
    );
    assert.equal(found.length, 10);
    assert.ok(fetched < 100);
  });

  it("come from several blocks as from one", () => {
    const matches = [
      { k: 2, ids: Uint32Array.of(4, 1), scores: Float32Array.of(0.75, 0.5) },
      { k: 1, ids: Uint32Array.of(0), scores: Float32Array.of(0.625) },
    ];
    const { rows, floor } = proposalOf(matches, [9, 1]);
    assert.deepEqual(rows, [
      { block: 0, row: 4, score: 0.75 },
      { block: 1, row: 0, score: 0.625 },
      { block: 0, row: 1, score: 0.5 },
    ]);
    assert.equal(floor, 0.5, "of the first block there are others");
    assert.equal(proposalOf(matches, [2, 1]).floor, Number.NEGATIVE_INFINITY);
  });
});
