import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { isDentateError, type Memory } from "../../src/index.js";
import { withDirectory, withMemory, withStore } from "../lib/with-memory.js";

async function fill(memory: Memory): Promise<void> {
  const bank = memory.bank("user-1");
  await bank.add({ role: "user", speaker: "Ana", content: "I moved to Lisbon in May", at: 0 });
  await bank.add({ role: "user", content: "to be deleted" });
  await bank.add({ role: "assistant", content: "How do you like the hills?", metadata: { a: 1 } });
  await bank.update("e1", { content: "I moved to Porto in May" });
  await bank.delete("e2");
  await memory.add({ role: "user", content: "elsewhere" });
}

async function exported(memory: Memory): Promise<string> {
  const stream = new PassThrough();
  let text = "";
  stream.on("data", (chunk) => {
    text += chunk;
  });
  await memory.export(stream);
  return text.slice(text.indexOf("\n"));
}

async function checkFound(memory: Memory): Promise<void> {
  const { items } = await memory.bank("user-1").recall("Where did Ana move?", { budget: 100 });
  assert.equal(items[0]?.id, "e1");
  assert.match(items[0].content, /Porto/);
}

describe("reindex", () => {
  it("builds a store again for another encoder: ids, versions, times stay", () =>
    withDirectory(async (directory) => {
      let before = "";
      await withStore(directory, async (memory) => {
        await fill(memory);
        before = await exported(memory);
        const bank = memory.bank("user-1");
        const seen: number[] = [];
        await memory.reindex({
          signatureBits: 256,
          onProgress: ({ entries }) => seen.push(entries),
        });
        assert.ok(seen.length > 0);
        assert.equal(await exported(memory), before);
        await checkFound(memory);
        // A bank that was there before goes on; ids go on from where they were.
        assert.equal((await bank.add({ role: "user", content: "later" })).id, "e5");
        assert.deepEqual(await memory.verify(), []);
        assert.ok(!existsSync(join(directory, "reindex-tmp")));
      });
      await withStore(
        directory,
        async (memory) => {
          await checkFound(memory);
          assert.equal((await memory.bank("user-1").history("e1")).length, 2);
        },
        { signatureBits: 256 },
      );
      await assert.rejects(
        withStore(directory, async () => {}, { signatureBits: 64 }),
        (error) => isDentateError(error, "DENTATE_MISMATCH") && /128|256|64/.test(error.message),
      );
    }));

  it("tells those who read the store that it is another one now", () =>
    withDirectory((directory) =>
      withStore(directory, async (memory) => {
        await fill(memory);
        await withStore(
          directory,
          async (reader) => {
            await checkFound(reader);
            await memory.reindex({ signatureBits: 256 });
            const isMismatch = (error: unknown) => isDentateError(error, "DENTATE_MISMATCH");
            await assert.rejects(reader.refresh(), isMismatch);
            await assert.rejects(reader.bank("user-1").get("e1"), isMismatch);
          },
          { readOnly: true, pollInterval: 60_000 },
        );
        await withStore(directory, checkFound, { readOnly: true, signatureBits: 256 });
      }),
    ));

  it("keeps ids however many in a row were deleted", () =>
    withMemory(async (memory) => {
      // More than a line of an import may leave out.
      const most = 1 << 20;
      const line = (number: number) =>
        JSON.stringify({ id: `e${number}`, role: "user", content: "x" });
      await memory.import([line(most), "\n", line(2 * most), "\n"]);
      await memory.delete(`e${most}`);
      await memory.purge();
      await memory.reindex();
      assert.deepEqual(
        (await memory.list()).map(({ id }) => id),
        [`e${2 * most}`],
      );
      assert.equal((await memory.add({ role: "user", content: "y" })).id, `e${2 * most + 1}`);
    }));

  it("opens a store that was made with other settings, if asked to", () =>
    withDirectory(async (directory) => {
      const window = { encoder: "random-indexing", window: 0 } as const;
      await withStore(directory, fill, window);
      await withStore(directory, checkFound, { encoder: "distilled", reindex: true });
      await withStore(directory, checkFound);
    }));

  it("keeps an encrypted store encrypted", () =>
    withDirectory(async (directory) => {
      const key = new Uint8Array(32).fill(7);
      await withStore(
        directory,
        async (memory) => {
          await fill(memory);
          await memory.reindex({ signatureBits: 64 });
          await checkFound(memory);
        },
        { key },
      );
      assert.ok((await readdir(directory)).includes("KEY"));
      await withStore(directory, checkFound, { key });
    }));

  it("goes on after its key was changed, and takes its turn after another", () =>
    withDirectory(async (directory) => {
      const [first, second] = [new Uint8Array(32), new Uint8Array(32).fill(1)];
      await withStore(
        directory,
        async (memory) => {
          await fill(memory);
          await memory.rekey(second);
          await Promise.all([memory.reindex({ signatureBits: 64 }), memory.reindex()]);
          await memory.add({ role: "user", content: "later" });
          await checkFound(memory);
        },
        { key: first },
      );
      await withStore(directory, checkFound, { key: second });
    }));

  it("is refused while others in the process have the store open", () =>
    withDirectory((directory) =>
      withStore(directory, async (memory) => {
        await fill(memory);
        await withStore(directory, async (other) => {
          await assert.rejects(memory.reindex(), (error) =>
            isDentateError(error, "DENTATE_LOCKED"),
          );
          await other.add({ role: "user", content: "other" });
          await memory.add({ role: "user", content: "later" });
        });
        await memory.reindex();
        assert.equal((await memory.list()).length, 3);
        await checkFound(memory);
      }),
    ));

  it("leaves the store as it was when it is given up", () =>
    withDirectory((directory) =>
      withStore(directory, async (memory) => {
        await fill(memory);
        const before = await exported(memory);
        const signal = AbortSignal.abort();
        await assert.rejects(memory.reindex({ signal, signatureBits: 64 }), (error) =>
          isDentateError(error, "DENTATE_ABORTED"),
        );
        assert.equal(await exported(memory), before);
        await checkFound(memory);
        assert.ok(!existsSync(join(directory, "reindex-tmp")));
      }),
    ));

  for (const where of ["a directory", "memory"]) {
    it(`loses nothing that is written meanwhile, in ${where}`, async () => {
      const run = async (memory: Memory) => {
        await fill(memory);
        const added: string[] = [];
        const rebuilding = memory.reindex({
          signatureBits: 64,
          onProgress: () => {
            added.push(`meanwhile ${added.length}`);
            void memory.add({ role: "user", content: added.at(-1)! });
          },
        });
        await assert.rejects(rebuilding, (error) => isDentateError(error, "DENTATE_ABORTED"));
        await memory.flush();
        const contents = (await memory.list()).map(({ content }) => content);
        assert.ok(added.length > 0);
        for (const content of added) assert.ok(contents.includes(content));
        await checkFound(memory);
      };
      if (where === "memory") await withMemory(run);
      else await withDirectory((directory) => withStore(directory, run));
    });
  }

  it("works in memory, too", () =>
    withMemory(async (memory) => {
      await fill(memory);
      const before = await exported(memory);
      await memory.reindex({ signatureBits: 64 });
      assert.equal(await exported(memory), before);
      await checkFound(memory);
    }));
});
