import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDentateError } from "../../src/errors.js";
import { type Memory, type RecallOptions, STRATEGIES, type Turn } from "../../src/index.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { withMemory } from "../lib/with-memory.js";

const DAY = 86_400_000;
const TURNS: Turn[] = [
  { role: "user", speaker: "Ana", content: "I moved to Lisbon in May.", session: "s1", at: 0 },
  { role: "assistant", content: "How is the new flat?", session: "s1", at: 1000 },
  {
    role: "user",
    speaker: "Ana",
    content: "Small, but I can see the river.",
    session: "s1",
    at: 2000,
  },
  { role: "user", speaker: "Ben", content: "My cat is called Pixel.", session: "s2", at: 2 * DAY },
  {
    role: "tool",
    toolName: "weather",
    toolCallId: "c1",
    content: "Lisbon: 24 degrees",
    session: "s3",
    at: 3 * DAY,
  },
];

const withTurns = (run: (memory: Memory) => Promise<void>) =>
  withMemory(async (memory) => {
    await memory.addMany(TURNS);
    await run(memory);
  });

describe("recall", () => {
  it("finds what the question asks for, and says why", () =>
    withTurns(async (memory) => {
      const recall = await memory.recall("What is the name of Ben's cat?");
      const [best] = recall.items;
      assert.ok(best !== undefined);
      assert.equal(best.id, "e4");
      assert.equal(best.speaker, "Ben");
      assert.equal(best.session, "s2");
      assert.equal(best.content, "My cat is called Pixel.");
      assert.deepEqual(best.at, new Date(2 * DAY));
      const { signature, neighbour, dense, other, words } = best.reasons;
      assert.deepEqual(
        words
          .filter(({ similarity }) => similarity === 1)
          .map(({ matched }) => matched)
          .sort(),
        ["Ben", "cat"],
      );
      assert.ok(words.every(({ weight }) => weight > 0 && weight < 1));
      assert.ok(signature > 0 && neighbour >= 0 && dense > 0 && other > 0);
      assert.ok(Math.abs(signature + neighbour + dense + other - best.score) < 1e-6);
      assert.ok(best.highlights.some(([start, end]) => best.content.slice(start, end) === "cat"));
      assert.ok(recall.text.includes("Ben: My cat is called Pixel."));
      assert.equal(recall.tokens, loadTokenizer().count(recall.text));
      assert.deepEqual(recall.atoms, []);
    }));

  it("owes to its neighbours what it does not hold itself", () =>
    withTurns(async (memory) => {
      const { items } = await memory.recall("Who moved to Lisbon?", { strategy: "hippocampus" });
      const reasons = Object.fromEntries(items.map(({ id, reasons }) => [id, reasons]));
      // Of what is in "moved" and "Lisbon": e1 holds all, and e2, beside it, nothing.
      const { signature, neighbour, dense, other } = reasons["e1"]!;
      assert.ok(Math.abs(signature - 1) < 1e-6);
      assert.ok(Math.abs(neighbour) < 1e-6);
      assert.deepEqual([dense, other], [0, 0]);
      assert.equal(reasons["e2"]!.signature, 0);
      assert.ok(Math.abs(reasons["e2"]!.neighbour - 0.6) < 1e-6);
    }));

  it("finds what was said in the month that the question names", () =>
    withMemory(async (memory) => {
      for (let month = 0; month < 12; month++) {
        const at = Date.UTC(2023, month, 14);
        await memory.add({ role: "user", content: "I went for a swim.", session: `${month}`, at });
      }
      const { items } = await memory.recall("What did she do in August 2023?");
      assert.equal(items[0]!.at.getUTCMonth(), 7);
      const { words, signature } = items[0]!.reasons;
      assert.deepEqual(
        words.map(({ word, matched }) => [word, matched]),
        [
          ["august", "2023-08-14"],
          ["2023", "2023-08-14"],
        ],
      );
      assert.ok(signature > items[1]!.reasons.signature);
    }));

  it("finds a word that all entries hold, also beside one that none holds", () =>
    withMemory(async (memory) => {
      const turns = Array.from({ length: 12 }, (_, i) => `My cat did thing ${i} today`);
      await memory.addMany(turns.map((content) => ({ role: "user", content })));
      const { items } = await memory.recall("cat Peru", { strategy: "hippocampus" });
      assert.equal(items.length, turns.length);
    }));

  it("matches another form of a word", () =>
    withTurns(async (memory) => {
      const { items } = await memory.recall("moving", { packer: "flat" });
      const moved = items.find(({ id }) => id === "e1")!;
      assert.deepEqual(moved.highlights, [[2, 7]]);
      assert.equal(moved.reasons.words[0]!.matched, "moved");
    }));

  it("orders items best first, and tells the stages' times", () =>
    withTurns(async (memory) => {
      const { items, timings, strategy, packer, budget } = await memory.recall("Lisbon river");
      assert.deepEqual(
        { strategy, packer, budget },
        { strategy: "hybrid", packer: "sessions", budget: 2000 },
      );
      for (let i = 1; i < items.length; i++) assert.ok(items[i - 1]!.score >= items[i]!.score);
      const { keywords, encode, rank, pack, total } = timings;
      assert.equal(keywords, 0);
      for (const ms of [encode, rank, pack]) assert.ok(ms >= 0);
      assert.ok(total >= encode + rank + pack - 1e-6);
    }));

  it("can be written as JSON, and copied", () =>
    withTurns(async (memory) => {
      const recall = await memory.recall("cat");
      const item = JSON.parse(JSON.stringify(recall)).items[0];
      assert.deepEqual(item.highlights, [[3, 6]]);
      assert.equal(item.reasons.words[0].word, "cat");
      assert.deepEqual({ ...recall.items[0] }.highlights, [[3, 6]]);
    }));

  it("has nothing to say for 0 tokens, or of an empty bank", () =>
    withTurns(async (memory) => {
      for (const strategy of STRATEGIES) {
        for (const [bank, budget] of [
          ["default", 0],
          ["empty", 2000],
        ] as const) {
          const { text, tokens, items } = await memory
            .bank(bank)
            .recall("cat", { strategy, budget });
          assert.deepEqual({ text, tokens, items }, { text: "", tokens: 0, items: [] });
        }
      }
    }));

  it("goes on from the latest where the question says nothing", () =>
    withTurns(async (memory) => {
      const { items } = await memory.recall("And then?");
      assert.deepEqual(
        items.map(({ id, score }) => [id, score]),
        ["e5", "e4", "e3", "e2", "e1"].map((id) => [id, 0]),
      );
      assert.deepEqual(items[0]!.reasons.words, []);
    }));

  it("takes any question", () =>
    withTurns(async (memory) => {
      const questions = [
        "",
        " ",
        "the of and",
        "\ud800",
        "\u0000",
        "🎉",
        "猫",
        "x".repeat(100_000),
        "<|endoftext|>",
      ];
      for (const strategy of STRATEGIES) {
        for (const question of questions) {
          const { tokens } = await memory.recall(question, { strategy, budget: 50 });
          assert.ok(tokens <= 50);
        }
      }
    }));

  it("sees only what is dated up to `at`", () =>
    withTurns(async (memory) => {
      for (const at of [DAY, new Date(DAY), "1970-01-02"]) {
        const { items } = await memory.recall("Lisbon weather cat", { at });
        assert.deepEqual(items.map(({ id }) => id).sort(), ["e1", "e2", "e3"]);
      }
      assert.deepEqual((await memory.recall("Lisbon", { at: -1 })).items, []);
    }));

  it("searches for the keywords instead of the question", () =>
    withTurns(async (memory) => {
      const best = async (keywords: RecallOptions["keywords"]) => {
        const { items, timings } = await memory.recall("river", { keywords, packer: "flat" });
        return [items[0]!.id, timings.keywords > 0];
      };
      assert.deepEqual(await best(["cat", "Pixel"]), ["e4", true]);
      assert.deepEqual(await best(async (question) => [question, "river"]), ["e3", true]);
      assert.deepEqual(await best(() => ["cat"]), ["e4", true]);
    }));

  it("passes on what the keyword step throws, and refuses what is no list of words", () =>
    withTurns(async (memory) => {
      const failure = new Error("the model is down");
      const failing = async () => {
        throw failure;
      };
      await assert.rejects(memory.recall("x", { keywords: failing }), (error) => error === failure);
      await assert.rejects(
        memory.recall("x", { keywords: () => "cat" as never }),
        /options\.keywords/,
      );
      await assert.rejects(memory.recall("x", { keywords: ["a", 1] as never }), /keywords\[1\]/);
    }));

  it("is in the caller's tokens if the caller counts", () =>
    withTurns(async (memory) => {
      const countTokens = (text: string) => text.split(/\s+/).length;
      const { text, tokens } = await memory.recall("Lisbon", { countTokens, budget: 12 });
      assert.equal(tokens, countTokens(text));
      assert.ok(tokens > 0 && tokens <= 12);
    }));

  it("gives up when its signal fires", () =>
    withTurns(async (memory) => {
      const reason = new Error("enough");
      const aborted = (error: unknown) =>
        isDentateError(error, "DENTATE_ABORTED") && (error as Error).cause === reason;
      await assert.rejects(memory.recall("x", { signal: AbortSignal.abort(reason) }), aborted);
      const controller = new AbortController();
      const recall = memory.recall("x", {
        signal: controller.signal,
        keywords: () => new Promise(() => {}),
      });
      controller.abort(reason);
      await assert.rejects(recall, aborted);
      // A signal that fires later does nothing.
      const late = new AbortController();
      const { items } = await memory.recall("cat", { signal: late.signal });
      late.abort();
      assert.equal(items[0]!.id, "e4");
    }));

  const wrong: [string, unknown[], RegExp][] = [
    ["no question", [], /^question: expected a string, got undefined/],
    ["options that are none", ["q", 2000], /^options: expected an object, got 2000/],
    ["a misspelt option", ["q", { bugdet: 1 }], /^options\.bugdet: .*'budget'/],
    [
      "a filter that is none",
      ["q", { filter: { sesion: "s" } }],
      /^options\.filter\.sesion: .*'session'/,
    ],
    [
      "a negative half-life",
      ["q", { forgetting: { halfLife: -1 } }],
      /^options\.forgetting\.halfLife/,
    ],
    ["a negative budget", ["q", { budget: -1 }], /^options\.budget: .*got -1/],
    ["half a token", ["q", { budget: 0.5 }], /^options\.budget/],
    ["no number as budget", ["q", { budget: "100" }], /^options\.budget: .*got '100'/],
    ["an unknown strategy", ["q", { strategy: "rsn" }], /^options\.strategy: .*'rsn'/],
    ["an unknown packer", ["q", { packer: "xml" }], /^options\.packer: .*'xml'/],
    ["a radius of more than all bits", ["q", { radius: 129 }], /^options\.radius: .*0 to 128/],
    ["a number as keywords", ["q", { keywords: 1 }], /^options\.keywords/],
    ["a number as countTokens", ["q", { countTokens: 1 }], /^options\.countTokens/],
    ["a controller as signal", ["q", { signal: new AbortController() }], /^options\.signal/],
    ["a time that is none", ["q", { at: "soon" }], /^options\.at/],
  ];
  for (const [name, args, message] of wrong) {
    it(`refuses ${name}`, () =>
      withTurns(async (memory) => {
        const recall = memory.recall.bind(memory) as (...args: unknown[]) => Promise<unknown>;
        await assert.rejects(
          recall(...args),
          (error) =>
            (error instanceof TypeError || error instanceof RangeError) &&
            message.test(error.message),
        );
      }));
  }
});

describe("the baselines", () => {
  const ids = async (memory: Memory, options: RecallOptions) =>
    (await memory.recall("anything", options)).items.map(({ id }) => id);

  it("take the latest, everything, anything or nothing", () =>
    withTurns(async (memory) => {
      const newestFirst = ["e5", "e4", "e3", "e2", "e1"];
      assert.deepEqual(await ids(memory, { strategy: "recency" }), newestFirst);
      assert.deepEqual(await ids(memory, { strategy: "full-context" }), newestFirst);
      const any = await ids(memory, { strategy: "random" });
      assert.deepEqual([...any].sort().reverse(), newestFirst);
      assert.deepEqual(await ids(memory, { strategy: "random" }), any);
      assert.deepEqual(await ids(memory, { strategy: "none" }), []);
    }));

  it("follow the turns' own times, not the order of adding", () =>
    withMemory(async (memory) => {
      for (const at of [3, 1, 3, 2]) await memory.add({ role: "user", content: "x", at });
      assert.deepEqual(await ids(memory, { strategy: "recency" }), ["e3", "e1", "e4", "e2"]);
    }));

  it("differ where something does not fit: full context ends there", () =>
    withMemory(async (memory) => {
      const long = "word ".repeat(100);
      for (const content of ["one", long, "two"]) await memory.add({ role: "user", content });
      assert.deepEqual(await ids(memory, { strategy: "recency", budget: 50 }), ["e3", "e1"]);
      assert.deepEqual(await ids(memory, { strategy: "full-context", budget: 50 }), ["e3"]);
    }));
});
