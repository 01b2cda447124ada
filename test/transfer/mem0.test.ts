import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importMem0 } from "../../src/adapters/mem0/index.js";
import { type Entry, Memory } from "../../src/index.js";

const ana = {
  id: "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
  memory: "Moved to Lisbon in May",
  user_id: "ana",
  agent_id: null,
  app_id: null,
  run_id: null,
  hash: "285d07801ae42054732314853e9eadd7",
  metadata: { source: "chat", nested: { deep: [1, null] } },
  categories: ["location", "life"],
  created_at: "2024-07-26T08:30:24.275141-07:00",
  updated_at: "2024-08-01T00:00:00.000000-07:00",
  expiration_date: null,
  structured_attributes: { year: 2024 },
};

async function withMemory(work: (memory: Memory) => Promise<void>): Promise<void> {
  const memory = await Memory.open({ inMemory: true });
  try {
    await work(memory);
  } finally {
    await memory.close();
  }
}

async function only(memory: Memory, bank: string): Promise<Entry> {
  const entries = await memory.bank(bank).list();
  assert.equal(entries.length, 1, bank);
  return entries[0]!;
}

describe("importMem0", () => {
  it("keeps text, times, scope and whatever mem0 had", () =>
    withMemory(async (memory) => {
      const result = await importMem0(memory, [ana]);
      assert.deepEqual(result, { banks: 1, added: 1, updated: 0, unchanged: 0 });
      const entry = await only(memory, "mem0?user_id=ana");
      assert.equal(entry.content, ana.memory);
      assert.equal(entry.role, "user");
      assert.equal(entry.session, "default");
      assert.equal(entry.at.toISOString(), "2024-07-26T15:30:24.275Z");
      assert.equal(entry.ingestedAt.toISOString(), "2024-08-01T07:00:00.000Z");
      assert.deepEqual(entry.metadata, {
        ...ana.metadata,
        mem0: {
          id: ana.id,
          hash: ana.hash,
          categories: ana.categories,
          structured_attributes: ana.structured_attributes,
          updated_at: "2024-08-01T07:00:00.000Z",
        },
      });
    }));

  it("puts each combination in a bank of its own, and runs in sessions", () =>
    withMemory(async (memory) => {
      const of = (id: string, scope: object) => ({ id, memory: `Memory ${id}`, ...scope });
      await importMem0(
        memory,
        [
          of("1", { user_id: "ana", run_id: "r1" }),
          of("2", { user_id: "ana", agent_id: "planner" }),
          of("3", { run_id: "r1" }),
          of("4", { app_id: "a/../b", user_id: "ö&=" }),
          of("5", {}),
        ],
        { prefix: "tenant-a/", userId: "nobody" },
      );
      assert.deepEqual((await memory.banks()).sort(), [
        "tenant-a/mem0?run_id=r1",
        "tenant-a/mem0?user_id=%C3%B6%26%3D&app_id=a%2F..%2Fb",
        "tenant-a/mem0?user_id=ana",
        "tenant-a/mem0?user_id=ana&agent_id=planner",
        "tenant-a/mem0?user_id=nobody",
      ]);
      assert.equal((await only(memory, "tenant-a/mem0?user_id=ana")).session, "r1");
      assert.equal((await only(memory, "tenant-a/mem0?run_id=r1")).session, "r1");
      await assert.rejects(importMem0(memory, [of("5", {})]), /memory 1 \("5"\).*names no user/);
    }));

  it("reads the payloads of vector stores, in either spelling", () =>
    withMemory(async (memory) => {
      const payload = {
        data: "Keeps bees",
        hash: "h",
        userId: "ana",
        runId: "r1",
        actor_id: "Ben",
        role: "assistant",
        createdAt: "2024-01-01T00:00:00Z",
        textLemmatized: "keep bee",
        topic: "bees",
        id: "theirs",
      };
      const points = [
        { id: "p1", payload, vector: [1, 2] },
        { id: "p2", payload: JSON.stringify({ ...payload, data: "In SQLite" }) },
        { ...payload, id: "p3", data: "Flat", created_at: 1_704_067_200 },
      ];
      await importMem0(memory, points);
      const entries = await memory.bank("mem0?user_id=ana").list();
      assert.deepEqual(
        entries.map(({ content }) => content),
        ["Keeps bees", "In SQLite", "Flat"],
      );
      for (const { role, speaker, session, at, metadata } of entries) {
        assert.deepEqual([role, speaker, session], ["assistant", "Ben", "r1"]);
        assert.equal(at.toISOString(), "2024-01-01T00:00:00.000Z");
        assert.equal(metadata["topic"], "bees");
        assert.equal("textLemmatized" in metadata || "text_lemmatized" in metadata, false);
      }
      assert.equal(entries[0]!.metadata["id"], "theirs");
    }));

  it("adds nothing twice, and takes over what mem0 changed since", () =>
    withMemory(async (memory) => {
      const many = Array.from({ length: 2500 }, (_, i) => ({
        ...ana,
        id: `m${i}`,
        memory: `Fact ${i}`,
        user_id: `u${i % 3}`,
      }));
      // Pages may overlap.
      const first = await importMem0(memory, [...many.slice(0, 1500), ...many.slice(1400)]);
      assert.deepEqual(first, { banks: 3, added: 2500, updated: 0, unchanged: 100 });
      const again = await importMem0(memory, many);
      assert.deepEqual(again, { banks: 3, added: 0, updated: 0, unchanged: 2500 });
      const changed = [
        { ...many[7], memory: "Another fact", updated_at: "2025-01-01T00:00:00Z" },
        { ...many[8], memory: "An older one", updated_at: "2023-01-01T00:00:00Z" },
      ];
      const dry = await importMem0(memory, changed, { dryRun: true });
      assert.deepEqual(dry, { banks: 2, added: 0, updated: 1, unchanged: 1 });
      assert.deepEqual(await importMem0(memory, changed), dry);
      assert.deepEqual(await importMem0(memory, changed), { ...dry, updated: 0, unchanged: 2 });
      const [entry] = await memory
        .bank("mem0?user_id=u1")
        .list({ filter: { metadata: { "mem0.id": "m7" } } });
      assert.equal(entry!.content, "Another fact");
      assert.equal(entry!.at.toISOString(), "2024-07-26T15:30:24.275Z");
      const versions = await memory.bank("mem0?user_id=u1").history(entry!.id);
      assert.deepEqual(
        versions.map(({ content }) => content),
        ["Fact 7", "Another fact"],
      );
    }));

  it("makes nothing when it only looks", () =>
    withMemory(async (memory) => {
      const result = await importMem0(memory, [ana, ana], { dryRun: true });
      assert.deepEqual(result, { banks: 1, added: 1, updated: 0, unchanged: 1 });
      assert.deepEqual(await memory.banks(), []);
    }));

  it("keeps metadata that has its own name for itself", () =>
    withMemory(async (memory) => {
      await importMem0(memory, [{ ...ana, metadata: { mem0: "mine", a: 1 } }]);
      const { metadata } = await only(memory, "mem0?user_id=ana");
      assert.equal(metadata["a"], 1);
      assert.deepEqual((metadata["mem0"] as { metadata?: unknown }).metadata, { mem0: "mine" });
    }));

  it("names the memory that makes no sense, and stores nothing of its batch", () =>
    withMemory(async (memory) => {
      const deep = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`) as object;
      const mistakes: [unknown, RegExp][] = [
        [7, /memory 2: expected/],
        [{ memory: "x", user_id: "ana" }, /memory 2\.id/],
        [{ id: "x", user_id: "ana" }, /memory 2\.memory/],
        [{ id: "x", payload: "{", user_id: "ana" }, /memory 2\.payload/],
        [{ id: "x", memory: "x", user_id: 7 }, /memory 2\.user_id/],
        [{ id: "x", memory: "x", user_id: "ana", created_at: "soon" }, /memory 2\.created_at/],
        [{ id: "x", memory: "x", user_id: "ana", metadata: deep }, /memory 2 \("x"\)\.metadata/],
        [{ id: "x", memory: "x", user_id: "u".repeat(300) }, /memory 2 \("x"\)\.bank/],
        [{ results: [ana, { id: "y" }] }, /memory 2\[1\]\.memory/],
      ];
      for (const [mistake, message] of mistakes) {
        const error = await importMem0(memory, [ana, mistake]).then(
          () => undefined,
          (reason: Error) => reason,
        );
        assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
        assert.match(error.message, message);
      }
      assert.deepEqual(await memory.banks(), []);
    }));
});
