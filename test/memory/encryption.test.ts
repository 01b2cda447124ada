import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isDentateError, Memory } from "../../src/index.js";
import { withDirectory, withStore } from "../lib/with-memory.js";

const hasCode = (code: string) => (error: unknown) => isDentateError(error) && error.code === code;

const canary = "The quokka of Rottnest hides the amaranth lantern.";

async function bytesOf(directory: string): Promise<Buffer> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  return Buffer.concat(
    await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name)))),
  );
}

describe("an encrypted memory", () => {
  it("has everything again with its key, and none of it in plain bytes", () =>
    withDirectory(async (directory) => {
      const key = randomBytes(32);
      for (const step of ["add", "seal", "read"]) {
        await withStore(
          directory,
          async (memory) => {
            if (step === "add")
              await memory.bank("amaranth bank").add({ role: "user", content: canary });
            if (step === "seal") await memory.seal();
            const { items } = await memory.bank("amaranth bank").recall("Who hides the lantern?");
            assert.equal(items[0]?.content, canary);
          },
          { key, readOnly: step === "read" },
        );
        assert.equal((await bytesOf(directory)).includes("amaranth"), false, step);
      }
    }));

  it("opens with its own key only, and a plain memory with none", () =>
    withDirectory(async (directory) => {
      const key = randomBytes(32);
      const encrypted = join(directory, "encrypted");
      const plain = join(directory, "plain");
      await withStore(encrypted, (memory) => memory.add({ role: "user", content: canary }), {
        key,
      });
      await withStore(plain, (memory) => memory.add({ role: "user", content: canary }));
      for (const readOnly of [false, true]) {
        await assert.rejects(Memory.open(encrypted, { readOnly }), hasCode("DENTATE_KEY"));
        const wrong = { readOnly, key: randomBytes(32) };
        await assert.rejects(Memory.open(encrypted, wrong), hasCode("DENTATE_KEY"));
        await assert.rejects(Memory.open(plain, wrong), hasCode("DENTATE_KEY"));
      }
      await withStore(encrypted, async (memory) => assert.equal((await memory.list()).length, 1), {
        key,
      });
    }));

  it("changes its key, while others have it open", () =>
    withDirectory(async (directory) => {
      const [first, second] = [randomBytes(32), randomBytes(32)];
      await withStore(
        directory,
        async (memory) => {
          await memory.add({ role: "user", content: canary });
          await memory.rekey(second);
          await memory.add({ role: "user", content: "after" });
          await assert.rejects(Memory.open(directory, { key: first }), hasCode("DENTATE_KEY"));
          await withStore(
            directory,
            async (other) => assert.equal((await other.list()).length, 2),
            { key: second },
          );
        },
        { key: first },
      );
      await assert.rejects(Memory.open(directory, { key: first }), hasCode("DENTATE_KEY"));
      await withStore(directory, async (memory) => assert.equal((await memory.list()).length, 2), {
        key: second,
      });
      await withDirectory((other) =>
        withStore(other, (memory) => assert.rejects(memory.rekey(second), hasCode("DENTATE_KEY"))),
      );
    }));

  it("takes 32 bytes, and keeps its own copy of them", () =>
    withDirectory(async (directory) => {
      const key = randomBytes(32);
      await withStore(
        directory,
        async (memory) => {
          await memory.add({ role: "user", content: canary });
          await assert.rejects(memory.rekey(new Uint8Array(31)), RangeError);
          await assert.rejects(memory.rekey("key" as unknown as Uint8Array), TypeError);
        },
        { key },
      );
      await assert.rejects(Memory.open(directory, { key: new Uint8Array(33) }), RangeError);
      const given = Uint8Array.from(key);
      const opening = Memory.open(directory, { key: given });
      given.fill(0);
      await (await opening).close();
    }));
});
