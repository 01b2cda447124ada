import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  copyFile,
  cp,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { isDentateError, Memory, type Turn } from "../../src/index.js";
import { withDirectory, withMemory, withStore } from "../lib/with-memory.js";

const user = (content: string, more: Partial<Turn> = {}): Turn => ({
  role: "user",
  content,
  ...more,
});
const KEY = randomBytes(32);
const hasCode = (code: string) => (error: unknown) => isDentateError(error) && error.code === code;
const contents = async (memory: Memory) =>
  (await memory.list({ limit: 10_000 })).map(({ content }) => content);

describe("backup", () => {
  it("is the store as it was, while adds go on", () =>
    withDirectory((directory) =>
      withDirectory(async (copy) => {
        await withStore(directory, async (memory) => {
          await memory.addMany(Array.from({ length: 300 }, (_, i) => user(`turn ${i}`)));
          await memory.seal();
          await memory.bank("b").add(user("of b"));
          await memory.delete("e1");
          const before = await contents(memory);
          let added = 0;
          const backup = memory.backup(copy);
          const adding = (async () => {
            for (; added < 50; added++) await memory.add(user(`more ${added}`));
          })();
          await backup;
          await adding;
          await withStore(copy, async (backed) => {
            const kept = await contents(backed);
            assert.deepEqual(kept.slice(0, 299), before);
            assert.deepEqual(
              kept.slice(299),
              Array.from({ length: kept.length - 299 }, (_, i) => `more ${i}`),
            );
            assert.deepEqual(await backed.banks(), ["b", "default"]);
            assert.deepEqual(await backed.verify(), []);
            await backed.add(user("of the copy"));
          });
          assert.ok(!(await contents(memory)).includes("of the copy"));
          await assert.rejects(memory.backup(copy), hasCode("DENTATE_IO"));
        });
      }),
    ));

  it("of a plain store takes no directory that has a key", () =>
    withDirectory((directory) =>
      withDirectory(async (copy) => {
        await mkdir(copy);
        // As an encrypted store's backup that was killed leaves it.
        await writeFile(join(copy, "KEY"), randomBytes(132));
        await withStore(directory, async (memory) => {
          await memory.add(user("a turn"));
          await assert.rejects(memory.backup(copy), hasCode("DENTATE_IO"));
        });
        assert.deepEqual(await readdir(copy), ["KEY", "LOCK"]);
      }),
    ));

  it("of an encrypted store leaves no key where it is refused", () =>
    withDirectory((directory) =>
      withDirectory(async (copy) => {
        await mkdir(copy);
        await writeFile(join(copy, "letter.txt"), "Dear Ana");
        await withStore(
          directory,
          async (memory) => {
            await memory.add(user("a turn"));
            await assert.rejects(memory.backup(copy), hasCode("DENTATE_IO"));
            assert.deepEqual(await readdir(copy), ["LOCK", "letter.txt"]);
            // As a backup that was killed early leaves it: its own key is there, and is used.
            await rm(join(copy, "letter.txt"));
            await copyFile(join(directory, "KEY"), join(copy, "KEY"));
            await memory.backup(copy);
          },
          { key: KEY },
        );
        await withStore(
          copy,
          async (memory) => assert.deepEqual(await contents(memory), ["a turn"]),
          {
            key: KEY,
          },
        );
      }),
    ));

  it("needs files to copy", () =>
    withMemory((memory) =>
      assert.rejects(memory.backup("./nowhere"), hasCode("DENTATE_UNAVAILABLE")),
    ));
});

describe("verify", () => {
  it("finds each byte that was changed in a segment", () =>
    withDirectory(async (directory) => {
      await withStore(directory, async (memory) => {
        await memory.addMany(Array.from({ length: 50 }, (_, i) => user(`turn ${i}`)));
        await memory.seal();
        assert.deepEqual(await memory.verify(), []);
        const [segment] = (await readdir(directory)).filter((name) => name.endsWith(".seg"));
        const path = join(directory, segment!);
        const { size } = await stat(path);
        for (let at = 0; at < size; at += Math.ceil(size / 25)) {
          await flip(path, at);
          const damage = await memory.verify();
          assert.ok(damage.length > 0, `byte ${at}`);
          assert.ok(damage[0]!.file.endsWith(segment!));
          await flip(path, at);
        }
        assert.deepEqual(await memory.verify(), []);
      });
    }));

  it("says what is damaged in files that do not open: of the log, of the manifest, encrypted too", () =>
    withDirectory(async (directory) => {
      for (const key of [undefined, randomBytes(32)]) {
        const store = join(directory, key === undefined ? "plain" : "secret");
        const memory = await Memory.open(store, { key });
        // A turn that another follows is not the torn end of a log.
        for (let i = 0; i < 20; i++) await memory.add(user(`turn ${i}`));
        await cp(store, `${store}-killed`, { recursive: true });
        await memory.close();
        const killed = `${store}-killed`;
        assert.deepEqual(await Memory.verify(killed, { key }), []);
        const files = await readdir(killed);
        const log = files.find((name) => name.startsWith("log-"))!;
        for (const [name, at] of [
          [log, 600],
          ["MANIFEST", 60],
        ] as const) {
          await flip(join(killed, name), at);
          await assert.rejects(Memory.open(killed, { key }), { code: "DENTATE_CORRUPTION" });
          const damage = await Memory.verify(killed, { key });
          assert.deepEqual(
            damage.map(({ file }) => basename(file)),
            [name],
          );
          await flip(join(killed, name), at);
        }
        assert.deepEqual(await Memory.verify(killed, { key }), []);
      }
      await assert.rejects(Memory.verify(join(directory, "absent")), { code: "DENTATE_IO" });
      await assert.rejects(Memory.verify(join(directory, "secret")), { code: "DENTATE_KEY" });
      await assert.rejects(Memory.verify(join(directory, "plain"), { key: new Uint8Array(3) }), {
        name: "RangeError",
        message: "options.key.length: expected 32 bytes, got 3",
      });
      await assert.rejects(Memory.verify(7 as never), TypeError);
    }));
});

describe("a key", () => {
  it("opens what it encrypted, and nothing else does", () =>
    withDirectory(async (directory) => {
      const key = randomBytes(32);
      const secret = "the lamp in the hall";
      await withStore(
        directory,
        async (memory) => {
          await memory.add(user(secret, { metadata: { secret } }));
          await memory.seal();
          await memory.add(user(`again ${secret}`, { metadata: { secret } }));
          assert.deepEqual(await memory.verify(), []);
        },
        { key },
      );
      for (const name of await readdir(directory, { recursive: true })) {
        const path = join(directory, name);
        if ((await stat(path)).isDirectory()) continue;
        assert.ok(!(await readFile(path)).includes(secret), name);
      }
      for (const options of [
        {},
        { key: randomBytes(32) },
        { key: randomBytes(32), readOnly: true },
      ]) {
        await assert.rejects(Memory.open(directory, options), hasCode("DENTATE_KEY"));
      }
      for (const readOnly of [true, false]) {
        await withStore(
          directory,
          async (memory) => {
            assert.deepEqual(await contents(memory), [secret, `again ${secret}`]);
            assert.equal((await memory.recall("Where is the lamp?")).items.length, 2);
          },
          { key, readOnly },
        );
      }
    }));

  it("can be changed", () =>
    withDirectory(async (directory) => {
      const [old, other] = [randomBytes(32), randomBytes(32)];
      await withStore(
        directory,
        async (memory) => {
          await memory.add(user("before"));
          await memory.rekey(other);
          await memory.add(user("after"));
        },
        { key: old },
      );
      await assert.rejects(Memory.open(directory, { key: old }), hasCode("DENTATE_KEY"));
      await withStore(
        directory,
        async (memory) => assert.deepEqual(await contents(memory), ["before", "after"]),
        { key: other },
      );
    }));

  it("is none of a plain store's", () =>
    withDirectory(async (directory) => {
      await withStore(directory, async (memory) => {
        await memory.add(user("x"));
        await assert.rejects(memory.rekey(randomBytes(32)), hasCode("DENTATE_KEY"));
      });
      const opening = Memory.open(directory, { key: randomBytes(32) });
      await assert.rejects(opening, hasCode("DENTATE_KEY"));
    }));
});

describe("sealing, merging, purging", () => {
  it("change nothing that can be read, and little that is on disk", () =>
    withDirectory((directory) =>
      withStore(
        directory,
        async (memory) => {
          for (let i = 0; i < 30; i++) {
            await memory.addMany(
              Array.from({ length: 40 }, (_, j) =>
                user(`turn ${j} of batch ${i}, which says ${"something ".repeat(j % 5)}`),
              ),
            );
            if (i % 10 === 9) await memory.seal();
          }
          // Chunks are made in the background: not while this is measured.
          await memory.indexed();
          await memory.seal();
          const before = await contents(memory);
          const all = await memory.storage();
          await memory.compact();
          assert.deepEqual(await contents(memory), before);
          const { segments, fileBytes, files } = await memory.storage();
          assert.equal(segments, 1);
          assert.ok(fileBytes <= all.fileBytes && files <= all.files);
          await memory.purge();
          assert.deepEqual(await contents(memory), before);
        },
        { sealAfter: 64 * 1024 },
      ),
    ));

  it("are given up when the signal fires", () =>
    withDirectory((directory) =>
      withStore(directory, async (memory) => {
        await memory.add(user("x"));
        const signal = AbortSignal.abort();
        for (const call of [
          () => memory.compact({ signal }),
          () => memory.purge({ signal }),
          () => memory.verify({ signal }),
          () => memory.backup(`${directory}-copy`, { signal }),
        ]) {
          await assert.rejects(call(), hasCode("DENTATE_ABORTED"), String(call));
        }
      }),
    ));
});

/** Changes a byte of a file, or changes it back. */
async function flip(path: string, at: number): Promise<void> {
  const file = await open(path, "r+");
  try {
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    byte[0]! ^= 0x5a;
    await file.write(byte, 0, 1, at);
  } finally {
    await file.close();
  }
}
