import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { describe, it } from "node:test";
import type { Memory } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

async function exported(memory: Memory): Promise<string> {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  await memory.export(stream);
  return Buffer.concat(chunks).toString();
}

describe("what is in a memory cannot be taken out of it", () => {
  // MemTensor/MemOS#1216, mem0ai/mem0 PR#4460, MemoriLabs/Memori#178, bug-ops/zeph#749
  it("as plain text that needs nothing of ours to read", () =>
    withMemory(async (memory) => {
      const bank = memory.bank("user-42");
      const turn = { speaker: "Ana", session: "s", at: "2024-05-02", metadata: { likes: ["tea"] } };
      await bank.add({ role: "user", content: "I moved to Lisbon 🏡\nin May", ...turn });
      const lines = (await exported(memory)).trimEnd().split("\n");
      const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const entry = records.find(({ content }) => content !== undefined)!;
      assert.equal(entry["content"], "I moved to Lisbon 🏡\nin May");
      assert.deepEqual(
        [entry["role"], entry["speaker"], entry["session"], entry["metadata"]],
        ["user", "Ana", "s", { likes: ["tea"] }],
      );
      assert.equal(new Date(entry["at"] as string).toISOString(), "2024-05-02T00:00:00.000Z");
    }));

  it("and put into another, which then answers alike, whatever embeds it", () =>
    withMemory(async (memory) => {
      for (let i = 0; i < 50; i++) {
        const content = `Train ${i} to ${["Oslo", "Porto", "Bergen"][i % 3]} was late`;
        await memory.bank("ana").add({ role: "user", content, at: i * 1e8, session: `s${i % 4}` });
      }
      const lines = await exported(memory);
      const ask = { budget: 120, at: 1e10 };
      const { text } = await memory.bank("ana").recall("Which was late to Porto?", ask);
      await withMemory(async (other) => {
        await other.import(Readable.from([lines]));
        assert.equal((await other.bank("ana").recall("Which was late to Porto?", ask)).text, text);
        assert.equal(await exported(other).then(withoutHead), withoutHead(lines));
      });
      await withMemory(
        async (other) => {
          await other.import(Readable.from([lines]));
          assert.equal((await other.bank("ana").list({ limit: 100 })).length, 50);
        },
        { encoder: "random-indexing" },
      );
    }));
});

/** The first line says when it was exported. */
function withoutHead(lines: string): string {
  return lines.slice(lines.indexOf("\n"));
}
