import assert from "node:assert/strict";
import { execFile, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import { DURABILITIES, isDentateError, Memory, type Turn } from "../../src/index.js";
import { content } from "../lib/contents.js";
import { withDirectory, withStore } from "../lib/with-memory.js";

const user = (content: string, more: Partial<Turn> = {}): Turn => ({
  role: "user",
  content,
  ...more,
});
const hasCode =
  (code: string, naming = /./) =>
  (error: unknown) =>
    isDentateError(error) && error.code === code && naming.test(error.message);

const windows = process.platform === "win32" ? "no directory is moved while it is used" : false;

const turn: fc.Arbitrary<Turn> = fc.record({
  role: fc.constant<"tool">("tool"),
  content,
  speaker: fc.option(fc.string({ minLength: 1, maxLength: 20 }), { nil: undefined }),
  session: fc.constantFrom("default", "s1", "漢字 🏳️‍🌈\n\0"),
  at: fc.integer({ min: -8.64e15, max: 8.64e15 }),
  toolCallId: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  toolName: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  metadata: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true }),
  expiresAt: fc.option(fc.integer({ min: 4e12, max: 8.64e15 }), { nil: undefined }),
}) as fc.Arbitrary<Turn>;

async function contentsOf(directory: string) {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths.sort().map(async (path) => [path.split("/").at(-1), await readFile(path)]),
  );
}

/** Everything that can be read of a bank; spans are of a part, and parts are merged. */
async function everything(memory: Memory, name: string) {
  const entries = await memory.bank(name).list({ limit: 10_000 });
  const histories = await Promise.all(entries.map(({ id }) => memory.bank(name).history(id)));
  const stats = await memory.bank(name).stats();
  const withoutSpan = ({ span, ...rest }: (typeof entries)[number]) => ({
    ...rest,
    span: span[1] - span[0],
  });
  return {
    histories: histories.map((versions) => versions.map(withoutSpan)),
    // Chunks are made in the background.
    stats: { ...stats, bytes: 0, chunks: 0, atoms: 0, largestAtom: 0 },
  };
}

describe("a memory in a directory", () => {
  it("has everything again when it is opened again, sealed or not", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(turn, { maxLength: 5 }), { maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(8), turn), { maxLength: 3 }),
        fc.array(fc.nat(8), { maxLength: 3 }),
        fc.constantFrom("nothing", "seal", "compact", "purge"),
        (batches, updates, deletes, then) =>
          withDirectory(async (directory) => {
            const before = await withStore(directory, async (memory) => {
              const bank = memory.bank("b");
              for (const batch of batches) await bank.addMany(batch);
              for (const [n, patch] of updates) await bank.update(`e${n + 1}`, patch);
              for (const n of deletes) await bank.delete(`e${n + 1}`);
              await memory.add(user("of another bank"));
              if (then === "seal" || then === "compact") await memory[then]();
              if (then === "purge") await memory.purge();
              return everything(memory, "b");
            });
            await withStore(directory, async (memory) => {
              assert.deepEqual(await everything(memory, "b"), before);
              const next =
                batches.flat().length +
                updates.filter(([n]) => n < batches.flat().length).length +
                1;
              const { id } = await memory.bank("b").add(user("next"));
              assert.ok(Number(id.slice(1)) <= next, `${id} of ${next}`);
            });
          }),
      ),
      { numRuns: 40 },
    ));

  it("recalls the same as it did before", () =>
    withDirectory(async (directory) => {
      const turns = Array.from({ length: 400 }, (_, i) =>
        user(`the ${["lamp", "river", "mill"][i % 3]} number ${i} is ${i % 2 ? "old" : "new"}`, {
          speaker: ["Ana", "Ben"][i % 2],
          session: `s${i % 13}`,
          at: Date.UTC(2026, 0, 1 + (i % 60)),
        }),
      );
      const ask = async (memory: Memory) => {
        const { text, items } = await memory.recall("Which old mill did Ben see in January?");
        return { text, items: items.map(({ id, score }) => ({ id, score })) };
      };
      const before = await withStore(directory, async (memory) => {
        for (let i = 0; i < turns.length; i += 50) await memory.addMany(turns.slice(i, i + 50));
        return ask(memory);
      });
      await withStore(directory, async (memory) => {
        assert.deepEqual(await ask(memory), before);
        await memory.seal();
        assert.deepEqual(await ask(memory), before);
        await memory.addMany(turns.slice(0, 1).map((turn) => ({ ...turn, content: "x" })));
        await memory.delete("e401");
        await memory.compact();
        assert.deepEqual(await ask(memory), before);
      });
      await withStore(directory, async (memory) => assert.deepEqual(await ask(memory), before));
    }));

  it("knows duplicates from before", () =>
    withDirectory(async (directory) => {
      await withStore(directory, (memory) => memory.addMany([user("one"), user("two")]));
      await withStore(directory, async (memory) => {
        assert.equal((await memory.add(user("two"))).status, "duplicate");
        const again = await memory.add(user("one"), { dedupe: true });
        assert.deepEqual(again, { id: "e1", status: "duplicate" });
        await memory.seal();
        const third = await memory.add(user("two"), { dedupe: true });
        assert.deepEqual(third, { id: "e2", status: "duplicate" });
      });
    }));

  it("forgets dropped banks for good, and takes their names anew", () =>
    withDirectory(async (directory) => {
      await withStore(directory, async (memory) => {
        await memory.bank("a").addMany([user("old one"), user("old two")]);
        await memory.seal();
        assert.equal(await memory.dropBank("a"), true);
        assert.equal(await memory.dropBank("a"), false);
        assert.deepEqual(await memory.banks(), []);
        assert.equal((await memory.bank("a").add(user("new"))).id, "e1");
      });
      await withStore(directory, async (memory) => {
        const [only, ...rest] = await memory.bank("a").list();
        assert.equal(only!.content, "new");
        assert.deepEqual(rest, []);
      });
    }));

  for (const durability of DURABILITIES) {
    it(`acknowledges adds with durability '${durability}'`, () =>
      withDirectory(async (directory) => {
        await withStore(
          directory,
          async (memory) => {
            await Promise.all(Array.from({ length: 200 }, (_, i) => memory.add(user(`turn ${i}`))));
            await memory.flush();
          },
          { durability, durabilityInterval: 20 },
        );
        await withStore(directory, async (memory) => {
          assert.equal((await memory.stats()).entries, 200);
        });
      }));
  }

  it("keeps what was acknowledged when its process is killed", () =>
    withDirectory(async (directory) => {
      const child = fork(agent, ["add", directory], { execArgv: [] });
      let acknowledged = 0;
      child.on("message", (count: number) => {
        acknowledged = count;
        if (count >= 50) child.kill("SIGKILL");
      });
      await once(child, "exit");
      await withStore(directory, async (memory) => {
        const entries = await memory.list({ limit: 10_000 });
        assert.ok(entries.length >= acknowledged, `${entries.length} of ${acknowledged}`);
        for (const [i, { content }] of entries.entries()) assert.equal(content, `turn ${i}`);
      });
    }));

  it("lets a process end that has nothing to wait for", async () => {
    await withDirectory(async (directory) => {
      await promisify(execFile)(process.execPath, [agent, "leave-open", directory]);
      await withStore(directory, async (memory) => {
        assert.deepEqual(
          (await memory.list()).map(({ content }) => content),
          ["first", "last"],
        );
      });
    });
  });
});

describe("Memory.open", () => {
  it("names the process that has the store", () =>
    withDirectory(async (directory) => {
      const child = fork(agent, ["hold", directory], { execArgv: [] });
      await once(child, "message");
      const pid = new RegExp(`\\b${child.pid}\\b`);
      await assert.rejects(Memory.open(directory), hasCode("DENTATE_LOCKED", pid));
      await withStore(directory, async (memory) => assert.equal((await memory.list()).length, 1), {
        readOnly: true,
      });
      child.kill("SIGKILL");
      await once(child, "exit");
      await withStore(directory, async (memory) => assert.equal((await memory.list()).length, 1));
    }));

  it("takes the encoder from the store, and refuses another one", () =>
    withDirectory(async (directory) => {
      const made = { encoder: "random-indexing", signatureBits: 64, window: 0 } as const;
      await withStore(directory, (memory) => memory.add(user("the lamp")), made);
      for (const options of [{}, { signatureBits: 64 }, made]) {
        await withStore(
          directory,
          async (memory) => {
            assert.equal((await memory.recall("lamp")).items.length, 1);
          },
          options,
        );
      }
      const others = [
        { signatureBits: 128 },
        { encoder: "distilled" },
        { ...made, window: 1 },
      ] as const;
      for (const options of others) {
        await assert.rejects(
          Memory.open(directory, options),
          hasCode("DENTATE_MISMATCH", /'random-indexing:64:1024:10:0', not '/),
        );
      }
      await withStore(directory, async (memory) => assert.equal((await memory.list()).length, 1));
    }));

  it("refuses to read where there is no store, and to make one where there is something else", () =>
    withDirectory(async (directory) => {
      const reading = Memory.open(directory, { readOnly: true });
      await assert.rejects(reading, hasCode("DENTATE_UNAVAILABLE"));
      await mkdir(directory);
      await writeFile(join(directory, `segment-${"0".repeat(32)}.seg`), "something");
      for (const readOnly of [false, true]) {
        await assert.rejects(Memory.open(directory, { readOnly }), hasCode("DENTATE_CORRUPTION"));
      }
    }));

  it("says of a store without its manifest what it is, whoever opens it", () =>
    withDirectory(async (directory) => {
      for (const key of [undefined, randomBytes(32)]) {
        const store = join(directory, key === undefined ? "plain" : "encrypted");
        await withStore(store, (memory) => memory.add(user("a turn")), { key });
        await rm(join(store, "MANIFEST"));
        for (const readOnly of [false, true]) {
          await assert.rejects(
            Memory.open(store, { readOnly, key }),
            hasCode("DENTATE_CORRUPTION", /no manifest/),
          );
        }
      }
    }));

  it("shares one store among all that open it in one process", () =>
    withDirectory((directory) =>
      withStore(directory, (one) =>
        withStore(directory, async (other) => {
          await Promise.all([one.add(user("a")), other.add(user("b")), one.add(user("c"))]);
          assert.deepEqual((await other.list()).map(({ content }) => content).sort(), [
            "a",
            "b",
            "c",
          ]);
          await one.close();
          assert.equal((await other.add(user("d"))).id, "e4");
        }),
      ),
    ));

  it("joins no store whose directory was removed under it", { skip: windows }, () =>
    withDirectory((directory) =>
      withStore(directory, async (memory) => {
        await memory.add(user("of the removed store"));
        await rm(directory, { recursive: true });
        await assert.rejects(Memory.open(directory), hasCode("DENTATE_IO", /LOCK/));
      }),
    ),
  );

  it("touches no store that was put in the place of its own", { skip: windows }, () =>
    withDirectory(async (directory) => {
      const [aside, other] = [`${directory}-aside`, `${directory}-other`];
      await withStore(other, async (memory) => {
        await memory.add(user("sealed"));
        await memory.seal();
        await memory.add(user("in the log"));
      });
      const files = await contentsOf(other);
      const memory = await Memory.open(directory);
      await memory.add(user("first"));
      await memory.seal();
      await memory.add(user("second"));
      await rename(directory, aside);
      await rename(other, directory);
      const moved = hasCode("DENTATE_IO", /was replaced/);
      for (const step of [memory.seal(), memory.compact(), memory.purge(), memory.reindex()]) {
        await assert.rejects(step, moved);
      }
      await memory.add(user("third"));
      await memory.close();
      assert.deepEqual(await contentsOf(directory), files);
      await withStore(aside, async (moved) =>
        assert.deepEqual(
          (await moved.list()).map(({ content }) => content),
          ["first", "second", "third"],
        ),
      );
    }),
  );
});

describe("a memory that is only read", () => {
  it("follows the writer, a batch at a time", () =>
    withDirectory(async (directory) => {
      await withStore(directory, (memory) => memory.add(user("first")));
      const child = fork(agent, ["batches", directory], { execArgv: [] });
      const ended = once(child, "exit");
      await withStore(
        directory,
        async (memory) => {
          let last = 0;
          for (let isOver = false; !isOver; ) {
            isOver = child.exitCode !== null;
            if (isOver) await memory.refresh();
            const entries = (await memory.list({ limit: 1000 })).length;
            assert.equal((entries - 1) % 20, 0, `${entries} entries`);
            assert.ok(entries >= last);
            last = entries;
            await wait(2);
          }
          assert.equal(last, 401);
        },
        { readOnly: true, pollInterval: 5 },
      );
      await ended;
    }));

  it("sees what was there when refresh was called", () =>
    withDirectory((directory) =>
      withStore(directory, async (writer) => {
        await writer.add(user("first"));
        await withStore(
          directory,
          async (reader) => {
            for (const step of [
              () => writer.add(user("second")),
              () => writer.update("e1", { content: "changed" }),
              () => writer.seal(),
              () => writer.delete("e2"),
              () => writer.compact(),
              () => writer.bank("b").add(user("of b")),
              () => writer.dropBank("b"),
              () => writer.purge(),
            ]) {
              await step();
              await reader.refresh();
              assert.deepEqual(
                await everything(reader, "default"),
                await everything(writer, "default"),
              );
              assert.deepEqual(await reader.banks(), await writer.banks());
            }
          },
          { readOnly: true, pollInterval: 60_000 },
        );
      }),
    ));

  it("finds the banks whose making, sealing and dropping it did not follow", () =>
    withDirectory((directory) =>
      withStore(directory, async (writer) => {
        await withStore(
          directory,
          async (reader) => {
            const contents = async (memory: Memory) =>
              (await memory.bank("a").list()).map(({ content }) => content);
            for (const step of [
              () => writer.bank("a").add(user("first")),
              () => writer.dropBank("a"),
              () => writer.bank("a").add(user("second")),
            ]) {
              await step();
              await writer.seal();
              await reader.refresh();
              assert.deepEqual(await contents(reader), await contents(writer));
            }
          },
          { readOnly: true, pollInterval: 60_000 },
        );
      }),
    ));

  it("refuses what writes, and changes no file", () =>
    withDirectory(async (directory) => {
      await withStore(directory, (memory) => memory.add(user("the lamp")));
      const files = (await readdir(directory)).filter((name) => name !== "readers");
      await withStore(
        directory,
        async (memory) => {
          const calls: (() => Promise<unknown>)[] = [
            () => memory.add(user("x")),
            () => memory.addMany([user("x")]),
            () => memory.update("e1", { content: "x" }),
            () => memory.delete("e1"),
            () => memory.deleteWhere({ role: "user" }),
            () => memory.dropBank("default"),
            () => memory.purge(),
            () => memory.seal(),
            () => memory.compact(),
            () => memory.flush(),
            () => memory.rekey(new Uint8Array(32)),
          ];
          for (const call of calls) {
            await assert.rejects(call(), hasCode("DENTATE_UNAVAILABLE"), String(call));
          }
          assert.equal((await memory.recall("lamp", { forgetting: {} })).items.length, 1);
        },
        { readOnly: true },
      );
      assert.deepEqual(
        (await readdir(directory)).filter((name) => name !== "readers"),
        files,
      );
    }));

  it("tell how large the store is, log and segments", () =>
    withDirectory(async (directory) => {
      const sizes = () => withStore(directory, (memory) => memory.storage(), { readOnly: true });
      await withStore(directory, (memory) => memory.add(user("not sealed")));
      const { logBytes, fileBytes, segments } = await sizes();
      assert.ok(logBytes > 0 && fileBytes === logBytes && segments === 0);
      await withStore(directory, (memory) => memory.seal());
      const sealed = await sizes();
      assert.ok(sealed.segments === 1 && sealed.fileBytes > sealed.logBytes);
    }));
});

const agent = fileURLToPath(new URL("./durable-agent.js", import.meta.url));
