import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CacheCounts, cachedEmbedder } from "../../src/embed/index.js";
import { type Embedder, isDentateError, Memory } from "../../src/index.js";

const DIMENSIONS = 4;
const QUESTION = { kind: "query" } as const;

/** An embedder, and the texts that it was asked for. */
function counted(id = "m", fails: (text: string) => boolean = () => false) {
  const asked: string[] = [];
  const embedder: Embedder = {
    id,
    dimensions: DIMENSIONS,
    threshold: 0.5,
    async embed(texts) {
      if (texts.some(fails)) throw new Error("no model");
      asked.push(...texts);
      return texts.map((text) =>
        Float32Array.from([1, text.length, text.charCodeAt(0) || 0, -0.5]),
      );
    },
  };
  return { embedder, asked };
}

async function withDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "dentate-cache-"));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const files = async (directory: string) =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("an embedder with a cache", () => {
  it("is the same embedder, and embeds a text once", async () => {
    const { embedder, asked } = counted();
    const cached = cachedEmbedder(embedder);
    const { id, dimensions, threshold } = cached;
    assert.deepEqual({ id, dimensions, threshold }, { id: "m", dimensions: 4, threshold: 0.5 });
    const texts = ["a", "bb", "a", "", "a"];
    assert.deepEqual(await cached.embed(texts), await embedder.embed(texts, { kind: "document" }));
    asked.length = 0;
    assert.equal((await cached.embed(["bb", "a", ""])).length, 3);
    assert.deepEqual(asked, []);
    assert.deepEqual(cached.counts, { texts: 8, cached: 3, embedded: 5 });
  });

  it("tells questions and documents apart", async () => {
    const { embedder, asked } = counted();
    const cached = cachedEmbedder(embedder);
    await cached.embed(["a"], QUESTION);
    await cached.embed(["a"]);
    assert.deepEqual(asked, ["a", "a"]);
  });

  it("gives away copies", async () => {
    const cached = cachedEmbedder(counted().embedder);
    const [vector] = await cached.embed(["a"]);
    vector!.fill(7);
    assert.notDeepEqual((await cached.embed(["a"]))[0], vector);
  });

  it("forgets what was not asked for for longest", async () => {
    const { embedder, asked } = counted();
    const cached = cachedEmbedder(embedder, { maxEntries: 2 });
    for (const text of ["a", "b", "a", "c", "a", "b"]) await cached.embed([text]);
    assert.deepEqual(asked, ["a", "b", "c", "b"]);
  });

  it("keeps nothing in memory where it shall not", async () => {
    const { embedder, asked } = counted();
    const cached = cachedEmbedder(embedder, { maxEntries: 0 });
    await cached.embed(["a"]);
    await cached.embed(["a"]);
    assert.deepEqual(asked, ["a", "a"]);
  });

  it("finds on disk what another one embedded, but not another model's", () =>
    withDirectory(async (directory) => {
      const texts = Array.from({ length: 300 }, (_, i) => `text ${i}`);
      const expected = await cachedEmbedder(counted().embedder, { directory }).embed(texts);
      const { embedder, asked } = counted();
      assert.deepEqual(await cachedEmbedder(embedder, { directory }).embed(texts), expected);
      assert.deepEqual(asked, []);
      const other = counted("n");
      await cachedEmbedder(other.embedder, { directory }).embed(texts);
      assert.equal(other.asked.length, 300);
      assert.equal((await files(directory)).length, 600);
    }));

  it("writes no question down", () =>
    withDirectory(async (directory) => {
      const { embedder, asked } = counted();
      const cached = cachedEmbedder(embedder, { directory });
      await cached.embed(["a"], QUESTION);
      await cached.embed(["a"], QUESTION);
      assert.deepEqual(asked, ["a"]);
      assert.deepEqual(await files(directory), []);
    }));

  it("embeds again what is damaged on disk", () =>
    withDirectory(async (directory) => {
      const [vector] = await cachedEmbedder(counted().embedder, { directory }).embed(["a"]);
      const [file] = (await files(directory)) as [string];
      const whole = await readFile(file);
      const damages: (() => Promise<void>)[] = [
        () => truncate(file, 0),
        () => truncate(file, whole.length - 1),
        () => writeFile(file, Buffer.concat([whole, whole])),
        () =>
          writeFile(
            file,
            whole.map((byte, i) => (i === whole.length - 1 ? byte ^ 1 : byte)),
          ),
        () =>
          writeFile(
            file,
            whole.map((byte, i) => (i === 3 ? byte ^ 1 : byte)),
          ),
        () => rm(file),
      ];
      for (const damage of damages) {
        await damage();
        const { embedder, asked } = counted();
        const found = await cachedEmbedder(embedder, { directory }).embed(["a"]);
        assert.deepEqual(found, [vector]);
        assert.deepEqual(asked, ["a"]);
        assert.deepEqual(await readFile(file), whole);
      }
    }));

  it("is shared by those that write at once", () =>
    withDirectory(async (directory) => {
      const texts = Array.from({ length: 100 }, (_, i) => `text ${i}`);
      const all = await Promise.all(
        Array.from({ length: 6 }, () =>
          cachedEmbedder(counted().embedder, { directory }).embed(texts),
        ),
      );
      for (const each of all) assert.deepEqual(each, all[0]);
      assert.equal((await files(directory)).length, 100);
    }));

  it("keeps what was embedded before a failure, and goes on from there", () =>
    withDirectory(async (directory) => {
      const texts = Array.from({ length: 600 }, (_, i) => `text ${i}`);
      const failing = counted("m", (text) => text === "text 599");
      await assert.rejects(
        cachedEmbedder(failing.embedder, { directory }).embed(texts),
        /no model/,
      );
      assert.equal(failing.asked.length, 512);
      const { embedder, asked } = counted();
      await cachedEmbedder(embedder, { directory }).embed(texts);
      assert.equal(asked.length, 88);
    }));

  it("says how far it is", async () => {
    const seen: CacheCounts[] = [];
    const cached = cachedEmbedder(counted().embedder, {
      onProgress: (counts) => seen.push(counts),
    });
    await cached.embed(Array.from({ length: 600 }, (_, i) => `${i}`));
    await cached.embed(["0", "new"]);
    assert.deepEqual(
      seen.map(({ texts, cached, embedded }) => [texts, cached, embedded]),
      [
        [256, 0, 256],
        [512, 0, 512],
        [600, 0, 600],
        [602, 1, 601],
      ],
    );
  });

  it("answers where it cannot write", () =>
    withDirectory(async (directory) => {
      const file = join(directory, "file");
      await writeFile(file, "");
      const cached = cachedEmbedder(counted().embedder, { directory: join(file, "cache") });
      const warned = new Promise<Error & { code?: string }>((resolve) =>
        process.once("warning", resolve),
      );
      assert.equal((await cached.embed(["a", "b"])).length, 2);
      assert.equal((await warned).code, "DENTATE_IO");
    }));

  it("passes on what the embedder throws, and the signal", async () => {
    const cached = cachedEmbedder(counted("m", () => true).embedder);
    await assert.rejects(cached.embed(["a"]), /no model/);
    const never: Embedder = { id: "x", dimensions: 2, embed: () => new Promise(() => {}) };
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    const waiting = cachedEmbedder(never).embed(["a"], { ...QUESTION, signal: controller.signal });
    await assert.rejects(waiting, (error) => isDentateError(error, "DENTATE_ABORTED"));
  });

  it("says what is wrong with its arguments", () => {
    const { embedder } = counted();
    assert.throws(() => cachedEmbedder("static" as unknown as Embedder), TypeError);
    assert.throws(() => cachedEmbedder(embedder, { maxEntries: -1 }), RangeError);
    assert.throws(() => cachedEmbedder(embedder, { folder: "x" } as object), TypeError);
    assert.throws(() => cachedEmbedder(embedder, { onProgress: 1 } as object), TypeError);
  });

  it("spares a rebuilt store the model", () =>
    withDirectory(async (directory) => {
      const store = join(directory, "store");
      const cache = join(directory, "cache");
      const { embedder, asked } = counted();
      const memory = await Memory.open(store, {
        embedder: cachedEmbedder(embedder, { directory: cache }),
      });
      await memory.addMany(
        Array.from({ length: 40 }, (_, i) => ({ role: "user" as const, content: `Turn ${i}` })),
      );
      await memory.indexed();
      const before = asked.length;
      await memory.reindex();
      await memory.indexed();
      assert.equal((await memory.stats()).chunks, 8);
      await memory.close();
      assert.equal(asked.length, before);
    }));
});
