import assert from "node:assert/strict";
import { cp, readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Entry, Memory, MemoryOptions } from "../../src/index.js";
import { withDirectory, withStore } from "../lib/with-memory.js";

// Each released format must open for ever: test/fixtures/format/make-v<n>.mjs made these stores.
const fixtures = fileURLToPath(new URL("../../../../test/fixtures/format/", import.meta.url));

interface Expected {
  readonly options: MemoryOptions;
  readonly key?: readonly number[];
  readonly banks: Readonly<
    Record<
      string,
      {
        readonly entries: Entry[];
        readonly histories: Record<string, Entry[]>;
        /** From format 2 on. */
        readonly chunks?: { readonly chunks: number; readonly atoms?: number };
      }
    >
  >;
}

/** As in the script: without spans, which are positions in a part and change when parts are merged. */
function plain(entries: readonly Entry[]): unknown {
  return JSON.parse(JSON.stringify(entries.map((entry) => ({ ...entry, span: undefined }))));
}

async function assertHolds(memory: Memory, { banks }: Expected): Promise<void> {
  assert.deepEqual((await memory.banks()).sort(), Object.keys(banks).sort());
  for (const [name, { entries, histories, chunks }] of Object.entries(banks)) {
    const bank = memory.bank(name);
    if (chunks !== undefined) {
      const stats = await bank.stats();
      assert.equal(stats.chunks, chunks.chunks, name);
      // Of a bank that has no threshold yet, atoms are not written down.
      if (chunks.atoms !== undefined) assert.equal(stats.atoms, chunks.atoms, name);
    }
    assert.deepEqual(plain(await bank.list({ limit: 10_000 })), plain(entries), name);
    for (const [id, versions] of Object.entries(histories)) {
      assert.deepEqual(plain(await bank.history(id)), plain(versions), id);
    }
  }
}

for (const version of await readdir(fixtures)) {
  if (!/^v\d+$/.test(version)) continue;
  const all = JSON.parse(await readFile(`${fixtures}${version}/expected.json`, "utf8")) as Record<
    string,
    Expected
  >;
  describe(`golden stores of format ${version}`, () => {
    for (const [name, expected] of Object.entries(all)) {
      const key = expected.key && Uint8Array.from(expected.key);
      const options: MemoryOptions = { ...expected.options, ...(key && { key }) };

      it(`reads ${name}, writes to it, and rewrites it`, () =>
        withDirectory(async (directory) => {
          await cp(`${fixtures}${version}/${name}`, directory, { recursive: true });
          await withStore(
            directory,
            async (memory) => {
              await assertHolds(memory, expected);
              assert.deepEqual(await memory.verify(), []);
            },
            { ...options, readOnly: true },
          );
          await withStore(
            directory,
            async (memory) => {
              await assertHolds(memory, expected);
              const bank = memory.bank("added now");
              const { id } = await bank.add({ role: "user", content: "a heron at the harbour" });
              const { items } = await bank.recall("heron", { budget: 100 });
              assert.equal(items[0]?.id, id);
              assert.equal(await memory.dropBank("added now"), true);
              await memory.seal();
              await memory.compact();
              await assertHolds(memory, expected);
            },
            options,
          );
          await withStore(
            directory,
            async (memory) => {
              await assertHolds(memory, expected);
              assert.deepEqual(await memory.verify(), []);
            },
            options,
          );
        }));
    }
  });
}
