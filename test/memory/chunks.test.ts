import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Embedder, Memory, type MemoryOptions, type Turn } from "../../src/index.js";
import { Random } from "../lib/random.js";
import { withDirectory, withMemory, withStore } from "../lib/with-memory.js";

const TOPICS = [
  "the sailing boat left the harbour under a bright wind",
  "a recipe for bread needs flour, yeast, salt and water",
  "the database index made the slow query fast again",
  "our dog chased a squirrel up the old oak in the park",
];

/** `count` turns of a session, all about one thing. */
function talk(topic: number, session: string, count: number): Turn[] {
  return Array.from({ length: count }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    session,
    content: `${TOPICS[topic % TOPICS.length]}, said for the time ${i}`,
  }));
}

/** Counts letters: texts of the same letters are alike. What it was given is kept. */
function letterEmbedder(id = "letters"): Embedder & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    id,
    dimensions: 26,
    seen,
    embed: async (texts) => {
      seen.push(...texts);
      return texts.map((text) => {
        const vector = new Float32Array(26);
        for (const letter of text.toLowerCase()) {
          const at = letter.charCodeAt(0) - 97;
          if (at >= 0 && at < 26) vector[at]!++;
        }
        return vector;
      });
    },
  };
}

describe("chunks", () => {
  it("are five turns of one session, made in the background, and grouped", () =>
    withMemory(async (memory) => {
      await memory.addMany([...talk(0, "a", 10), ...talk(1, "b", 12)]);
      await memory.indexed();
      const { chunks, atoms } = await memory.stats();
      // Two of a, two of b; the last two turns of b are open.
      assert.equal(chunks, 4);
      assert.ok(atoms >= 2 && atoms <= 4);
    }));

  it("are the same, in the same order, however often they were looked at while turns came", async () => {
    const random = new Random();
    const words = TOPICS.join(" ").replaceAll(",", "").split(" ");
    const text = (length: number) =>
      Array.from({ length }, () => words[random.below(words.length)]).join(" ");
    for (let round = 0; round < 4; round++) {
      const sessions = 2 + random.below(30);
      const turns = Array.from({ length: 400 }, (_, i): Turn => {
        const session = `s${random.below(random.below(2) === 0 ? sessions : 2)}`;
        const content = text(random.below(60) === 0 ? 600 : 3 + random.below(20));
        return { role: "user", session, at: i * 1000, content };
      });
      await withMemory((often) =>
        withMemory(async (once) => {
          await once.addMany(turns);
          for (let i = 0; i < turns.length; ) {
            const count = 1 + random.below(40);
            await often.addMany(turns.slice(i, i + count));
            if (random.below(3) === 0) await often.indexed();
            i += count;
          }
          for (let question = 0; question < 5; question++) {
            const asked = text(2);
            const [a, b] = await Promise.all(
              [once, often].map((memory) => memory.recall(asked, { strategy: "rsm", budget: 500 })),
            );
            assert.equal(a!.text, b!.text, `DENTATE_SEED=${random.seed}`);
            assert.deepEqual(a!.atoms, b!.atoms, `DENTATE_SEED=${random.seed}`);
          }
          const { chunks, atoms } = await once.stats();
          const other = await often.stats();
          assert.deepEqual([chunks, atoms], [other.chunks, other.atoms]);
        }),
      );
    }
  });

  it("are found before they are recorded, and by atom", () =>
    withMemory(async (memory) => {
      await memory.addMany([...talk(0, "a", 5), ...talk(1, "b", 5), ...talk(2, "c", 2)]);
      for (const strategy of ["rsm", "budget-rag", "streaming-proto", "dp-means"] as const) {
        const recall = await memory.recall("Which query was slow in the database?", {
          strategy,
          budget: 200,
          retrieveK: 1,
        });
        assert.equal(recall.items[0]?.session, "c", strategy);
        // What the nearest atom leaves of a budget goes to the others.
        const all = await memory.recall("Which query was slow?", {
          strategy,
          budget: 10_000,
          retrieveK: 1,
        });
        assert.equal(all.items.length, 12, strategy);
      }
      const { atoms, items } = await memory.recall("bread and flour", {
        strategy: "rsm",
        packer: "atoms",
        budget: 400,
        retrieveK: 1,
      });
      assert.equal(items[0]?.session, "b");
      assert.ok(atoms[0]?.ids.includes(items[0].id));
      assert.deepEqual(atoms.flatMap(({ ids }) => ids).sort(), items.map(({ id }) => id).sort());
    }));

  it("take each rule of retrieval, and only what the filter selects", () =>
    withMemory(async (memory) => {
      for (let i = 0; i < 4; i++) await memory.addMany(talk(i, `s${i}`, 10));
      for (const retrieveBy of [
        "first-singular-vector",
        "centroid",
        "subspace",
        "best-member",
      ] as const) {
        const { items } = await memory.recall("the dog in the park", {
          strategy: "rsm",
          retrieveBy,
          retrieveK: 1,
          budget: 150,
        });
        assert.equal(items[0]?.session, "s3", retrieveBy);
      }
      const { items } = await memory.recall("the dog in the park", {
        strategy: "rsm",
        filter: { session: "s1" },
        budget: 150,
      });
      assert.ok(items.length > 0 && items.every(({ session }) => session === "s1"));
    }));

  it("die with an entry that is deleted or changed, and what is left is chunked again", () =>
    withMemory(async (memory) => {
      const added = await memory.addMany(talk(0, "a", 15));
      await memory.indexed();
      assert.equal((await memory.stats()).chunks, 3);
      await memory.delete(added[2]!.id);
      await memory.indexed();
      // Four turns before the second chunk.
      assert.equal((await memory.stats()).chunks, 3);
      await memory.update(added[7]!.id, { content: "something else entirely" });
      await memory.indexed();
      const after = await memory.stats();
      assert.equal(after.chunks, 3);
      assert.equal(after.entries, 14);
    }));

  it("split a long turn, and find the piece that was asked for", () =>
    withMemory(
      async (memory) => {
        const filler = Array.from({ length: 40 }, (_, i) => `${TOPICS[i % 3]}.`);
        filler[20] = "The lighthouse keeper paints violet zebras at midnight.";
        await memory.add({ role: "user", content: filler.join(" ") });
        await memory.indexed();
        assert.ok((await memory.stats()).chunks > 4);
        const { text, items } = await memory.recall("violet zebras of the lighthouse keeper", {
          strategy: "budget-rag",
          budget: 120,
        });
        assert.match(text, /violet zebras/);
        assert.notDeepEqual(items[0]!.pieces, [[0, items[0]!.content.length]]);
      },
      { chunkTokens: 64 },
    ));

  it("are there again when a store is opened, and made of a store that has none", () =>
    withDirectory(async (directory) => {
      const before = await withStore(directory, async (memory) => {
        await memory.addMany([...talk(0, "a", 10), ...talk(1, "b", 10)]);
        await memory.indexed();
        return memory.stats();
      });
      await withStore(directory, async (memory) => {
        const { chunks, atoms, largestAtom } = await memory.stats();
        assert.deepEqual(
          [chunks, atoms, largestAtom],
          [before.chunks, before.atoms, before.largestAtom],
        );
        await memory.compact();
        assert.equal((await memory.stats()).chunks, 4);
        assert.deepEqual(await memory.verify(), []);
      });
      await withStore(
        directory,
        async (reader) => {
          const { items } = await reader.recall("flour and yeast", { strategy: "rsm", budget: 90 });
          assert.equal(items[0]?.session, "b");
        },
        { readOnly: true },
      );
    }));

  it("come to be in a store of format 1", () =>
    withDirectory(async (directory) => {
      const fixture = "../../../../test/fixtures/format/v1/conversations";
      await cp(fileURLToPath(new URL(fixture, import.meta.url)), directory, { recursive: true });
      await withStore(directory, async (memory) => {
        const [name] = await memory.banks();
        const bank = memory.bank(name!);
        assert.equal((await bank.stats()).chunks, 0);
        await bank.indexed();
        assert.ok((await bank.stats()).chunks > 0);
        await memory.seal();
        assert.deepEqual(await memory.verify(), []);
      });
    }));
});

describe("embedders", () => {
  it("of the caller make the chunks, and are asked for what has none yet", () =>
    withDirectory(async (directory) => {
      const embedder = letterEmbedder();
      await withStore(
        directory,
        async (memory) => {
          await memory.addMany([...talk(0, "a", 10), ...talk(1, "b", 7)]);
          await memory.indexed();
          assert.equal((await memory.stats()).chunks, 3);
          assert.match(embedder.seen[0]!, /^user: the sailing boat .*\nassistant: the sailing/);
          const asked = embedder.seen.length;
          const { items } = await memory.recall(TOPICS[1]!, { strategy: "rsm", budget: 100 });
          assert.equal(items[0]?.session, "b");
          // The question, and the open chunk of b; a second time the question alone.
          assert.equal(embedder.seen.length, asked + 2);
          await memory.recall(TOPICS[1]!, { strategy: "rsm", budget: 100 });
          assert.equal(embedder.seen.length, asked + 3);
        },
        { embedder },
      );
      const open = (options: MemoryOptions) => withStore(directory, async () => {}, options);
      const mismatch = (pattern: RegExp) => ({ code: "DENTATE_MISMATCH", message: pattern });
      await assert.rejects(
        open({ embedder: letterEmbedder("other") }),
        mismatch(/embedder 'letters:26:mean', not 'other:26:mean'/),
      );
      await assert.rejects(open({ embedder, chunkTurns: 4 }), mismatch(/chunks '5:512', not '4/));
      await assert.rejects(open({}), mismatch(/embedder 'letters:26:mean', not 'static:/));
      await open({ embedder });
      await open({ embedder: "none" });
      await withStore(
        directory,
        async (memory) => {
          await memory.indexed();
          assert.equal((await memory.stats()).chunks, 3);
        },
        { reindex: true, embedder: "static" },
      );
    }));

  it("that fail reject who waits for chunks, and nobody else", () =>
    withMemory(
      async (memory) => {
        await memory.addMany(talk(0, "a", 5));
        await assert.rejects(memory.indexed(), /out of order/);
        assert.equal((await memory.recall("sailing")).items.length, 5);
        await assert.rejects(memory.recall("sailing", { strategy: "rsm" }), /out of order/);
      },
      {
        embedder: {
          ...letterEmbedder(),
          embed: () => Promise.reject(new Error("the model is out of order")),
        },
      },
    ));

  it("of none leave a memory without chunks", () =>
    withMemory(
      async (memory) => {
        await memory.addMany(talk(0, "a", 5));
        await memory.indexed();
        assert.equal((await memory.stats()).chunks, 0);
        assert.ok((await memory.recall("sailing", { strategy: "rsm" })).items.length > 0);
      },
      { embedder: "none" },
    ));

  const bad: readonly [string, unknown, RegExp][] = [
    ["too few vectors", [], /length: expected 1 vectors, got 0/],
    ["a vector of another length", [new Float32Array(3)], /\[0\]\.length: expected 26 dim/],
    ["an array of numbers", [[1, 2]], /\[0\]: expected a Float32Array/],
    ["what is not finite", [new Float32Array(26).fill(Number.NaN)], /finite/],
  ];
  for (const [what, given, message] of bad) {
    it(`that give ${what} are refused`, () =>
      withMemory(
        async (memory) => {
          await memory.addMany(talk(0, "a", 5));
          await assert.rejects(memory.indexed(), message);
        },
        { embedder: { ...letterEmbedder(), embed: () => given as Float32Array[] } },
      ));
  }

  const wrong: readonly [string, object, RegExp][] = [
    ["an unknown name", { embedder: "bert" }, /options\.embedder: expected an embedder/],
    ["no id", { embedder: { dimensions: 3, embed: () => [] } }, /options\.embedder\.id/],
    ["a colon", { embedder: { id: "a:b", dimensions: 3, embed: () => [] } }, /without a colon/],
    ["no dimensions", { embedder: { id: "a", embed: () => [] } }, /dimensions: expected a number/],
    ["no function", { embedder: { id: "a", dimensions: 3 } }, /embed: expected a function/],
    ["a threshold above 1", { threshold: 1.5 }, /options\.threshold: expected a cosine/],
    ["no turns", { chunkTurns: 0 }, /options\.chunkTurns/],
    ["few tokens", { chunkTokens: 8 }, /options\.chunkTokens/],
    [
      "static without a table",
      { embedder: "static", encoder: "random-indexing" },
      /has no vectors/,
    ],
  ];
  for (const [what, options, message] of wrong) {
    it(`refuses ${what}`, () =>
      assert.rejects(Memory.open({ inMemory: true, ...options } as never), message));
  }
});
