import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { principalPlane } from "../../src/atoms/principal-plane.js";
import type { Memory } from "../../src/index.js";
import { withDirectory, withMemory, withStore } from "../lib/with-memory.js";

const at = (day: number) => new Date(Date.UTC(2026, 0, day));

async function fill(memory: Memory): Promise<void> {
  const turns = ["boats in the harbour", "a wine cellar", "boats and sails", "red wine and cheese"];
  await memory.addMany(
    Array.from({ length: 60 }, (_, i) => ({
      role: "user" as const,
      content: `${turns[i % 4]}, number ${i}`,
      session: `s${i % 4}`,
      at: at(1 + i),
    })),
  );
}

describe("the sessions of a bank", () => {
  it("are counted and dated, the latest first, as far as they are current", async () => {
    await withMemory(async (memory) => {
      assert.deepEqual(await memory.bank("none").sessions(), []);
      await memory.add({ role: "user", content: "one two", session: "old", at: at(2) });
      await memory.add({ role: "user", content: "three", session: "new", at: at(9) });
      await memory.add({ role: "user", content: "four", session: "old", at: at(1) });
      await memory.add({ role: "user", content: "five", session: "gone", at: at(30) });
      await memory.delete("e4");
      await memory.update("e2", { content: "three again and again" });
      const sessions = await memory.bank("default").sessions();
      assert.deepEqual(
        sessions.map(({ session, entries, from, to }) => [session, entries, +from, +to]),
        [
          ["new", 1, +at(9), +at(9)],
          ["old", 2, +at(1), +at(2)],
        ],
      );
      const { tokens } = await memory.stats();
      assert.equal(sessions[0]!.tokens + sessions[1]!.tokens, tokens);
    });
  });
});

describe("the map of a bank", () => {
  it("has every chunk, made or not, with its entries and atom", async () => {
    await withMemory(async (memory) => {
      await fill(memory);
      const bank = memory.bank("default");
      for (const isMade of [false, true]) {
        if (isMade) await bank.indexed();
        const { chunks, question, total, shares } = await bank.map({ question: "boats" });
        assert.equal(chunks.length, total);
        const ids = new Set(chunks.flatMap((chunk) => chunk.ids));
        assert.equal(ids.size, 60);
        assert.equal(question?.length, 2);
        assert.ok(shares[0] >= shares[1] && shares[0] + shares[1] <= 1.0001, shares.join());
        if (isMade) assert.ok(chunks.some(({ atom }) => atom !== undefined));
      }
    });
  });

  it("is the same however often it is drawn, and has some chunks of many, those of entries first", async () => {
    await withMemory(async (memory) => {
      await fill(memory);
      const bank = memory.bank("default");
      await bank.indexed();
      const whole = await bank.map();
      assert.deepEqual(await bank.map(), whole);
      assert.equal(whole.question, undefined);
      for (const limit of [1, 3, whole.total, whole.total + 5]) {
        const { chunks, total } = await bank.map({ limit, ids: ["e60", "nonsense"] });
        assert.equal(total, whole.total);
        assert.equal(chunks.length, Math.min(limit, total));
        assert.ok(chunks.some(({ ids }) => ids.includes("e60")));
      }
    });
  });

  it("is empty of a bank without entries, without an embedder, and says nothing of such a question", async () => {
    await withMemory(async (memory) => {
      assert.deepEqual((await memory.bank("none").map({ question: "boats" })).chunks, []);
      await fill(memory);
      assert.equal((await memory.bank("default").map({ question: "of the" })).question, undefined);
    });
    const none = { embedder: "none" } as const;
    await withMemory(async (memory) => {
      await fill(memory);
      assert.deepEqual((await memory.bank("default").map({ question: "boats" })).chunks, []);
    }, none);
  });

  it("is drawn of a store that is only read, which makes no chunk", async () => {
    await withDirectory(async (directory) => {
      await withStore(directory, fill);
      const readOnly = { readOnly: true };
      await withStore(
        directory,
        async (memory) => {
          assert.equal(memory.readOnly, true);
          const { chunks } = await memory.bank("default").map({ question: "boats" });
          assert.equal(new Set(chunks.flatMap(({ ids }) => ids)).size, 60);
        },
        readOnly,
      );
    });
  });

  it("takes its options as they are meant", async () => {
    await withMemory(async (memory) => {
      const bank = memory.bank("default");
      const map = (options: unknown) => bank.map(options as never);
      await assert.rejects(map({ limit: 0 }), RangeError);
      await assert.rejects(map({ question: 1 }), TypeError);
      await assert.rejects(map({ ids: "e1" }), TypeError);
      await assert.rejects(map({ limits: 1 }), TypeError);
      await fill(memory);
      const signal = AbortSignal.abort();
      await assert.rejects(map({ signal }), { code: "DENTATE_ABORTED" });
    });
  });
});

describe("the plane in which rows differ most", () => {
  it("has the directions of the greatest variance, each with a fixed sign", async () => {
    // Long along (1, 2, 0), less along (-2, 1, 0), hardly along the third.
    const rows = Float32Array.from(
      Array.from({ length: 200 }, (_, i) => {
        const [long, short, little] = [
          Math.sin(i) * 10,
          Math.cos(3 * i) * 3,
          Math.sin(7 * i) * 0.1,
        ];
        return [long - 2 * short + 5, 2 * long + short - 1, little];
      }).flat(),
    );
    const plane = await principalPlane(rows, 3);
    const root = Math.sqrt(5);
    for (let i = 0; i < 200; i += 17) {
      const mean = plane.project(Float32Array.of(5, -1, 0));
      const x = plane.points[2 * i]! - mean[0];
      const y = plane.points[2 * i + 1]! - mean[1];
      assert.ok(Math.abs(x - Math.sin(i) * 10 * root) < 0.3, `${i}: ${x}`);
      // The greatest value of (-2, 1, 0) is made positive: the other way round.
      assert.ok(Math.abs(y + Math.cos(3 * i) * 3 * root) < 0.3, `${i}: ${y}`);
    }
    assert.ok(plane.shares[0] > 0.85 && plane.shares[0] + plane.shares[1] > 0.99);
  });

  it("is there for no rows, one, equal ones, and those on a line", async () => {
    assert.equal((await principalPlane(new Float32Array(), 3)).points.length, 0);
    for (const rows of [
      [1, 2, 3],
      [1, 2, 3, 1, 2, 3],
      [0, 0, 0, 1, 1, 1, 2, 2, 2],
    ]) {
      const { points, shares } = await principalPlane(Float32Array.from(rows), 3);
      assert.equal(points.length, (rows.length / 3) * 2);
      assert.ok([...points, ...shares].every(Number.isFinite));
      assert.ok(Math.abs(points.at(-1)!) < 1e-5);
    }
  });
});
