import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Memory, type RecallItem, type Turn } from "../../src/index.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { withDirectory, withMemory } from "../lib/with-memory.js";

const AT = Date.UTC(2025, 2, 1);

/** Words of scripts with and without spaces, and characters that are made of several code points. */
const word = fc.constantFrom(
  ..."river Lisbon ticket report window engine garden 12 3.14 node_modules café naïve".split(" "),
  ..."река окно سفر كتاب नमस्ते 東京 会議室 서울 मौसम".split(" "),
  ...["👩‍👩‍👧‍👦", "🏳️‍🌈", "e\u0301\u0323", "각", "\u0600\u0661", "🇵🇹🇯🇵", "नि"],
);
const joiner = fc.constantFrom(" ", " ", " ", "", ", ", ". ", "? ", "\n", "\n\n", "\r\n", "。");
const long = fc
  .array(fc.tuple(word, joiner), { minLength: 150, maxLength: 700 })
  .map((parts) => parts.flat().join(""));
const short = fc
  .array(fc.tuple(word, joiner), { minLength: 1, maxLength: 12 })
  .map((parts) => `a ${parts.flat().join("")}`);
const turns = fc.array(
  fc.record({
    role: fc.constantFrom("user" as const, "assistant" as const, "tool" as const),
    content: fc.oneof(long, short),
    session: fc.constantFrom("s1", "s2"),
  }),
  { minLength: 1, maxLength: 6 },
);
const question = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));

const dated = (turns: readonly Turn[]) => turns.map((turn, i) => ({ ...turn, at: AT + i * 1000 }));

function checkItem({ content, pieces, highlights }: RecallItem): void {
  const borders = new Set([content.length]);
  for (const { index } of new Intl.Segmenter().segment(content)) borders.add(index);
  let before = -1;
  for (const [start, end] of pieces) {
    assert.ok(before < start && start < end && end <= content.length, `${start} to ${end}`);
    assert.ok(borders.has(start) && borders.has(end), `a character is cut at ${start} or ${end}`);
    before = end;
  }
  assert.ok(pieces.length > 0);
  for (const [start, end] of highlights) assert.ok(0 <= start && start < end);
  for (const [, end] of highlights) assert.ok(end <= content.length);
}

/** What is the same for the same turns and the same question, wherever they are. */
const answer = async (memory: Memory, text: string, budget: number) => {
  const { items, tokens, text: packed } = await memory.recall(text, { budget, at: AT + 60_000 });
  return { packed, tokens, items: items.map(({ id, score, pieces }) => ({ id, score, pieces })) };
};

describe("pieces of long entries", () => {
  it("stay within the budget, in order, and cut no character, whatever the text", () =>
    fc.assert(
      fc.asyncProperty(turns, question, fc.nat(900), async (given, text, budget) =>
        withMemory(async (memory) => {
          await memory.addMany(dated(given));
          const recall = await memory.recall(text, { budget, at: AT + 60_000 });
          assert.ok(recall.tokens <= budget);
          assert.equal(recall.tokens, loadTokenizer().count(recall.text));
          assert.equal(new Set(recall.items.map(({ id }) => id)).size, recall.items.length);
          for (const item of recall.items) checkItem(item);
        }),
      ),
      { numRuns: 60 },
    ));

  it("are the same in memory, on disk, sealed, and for a reader", () =>
    fc.assert(
      fc.asyncProperty(turns, question, async (given, text) =>
        withDirectory(async (directory) => {
          let expected: unknown;
          await withMemory(async (memory) => {
            await memory.addMany(dated(given));
            expected = await answer(memory, text, 500);
          });
          const memory = await Memory.open(directory);
          try {
            await memory.addMany(dated(given));
            assert.deepEqual(await answer(memory, text, 500), expected);
            await memory.seal();
            assert.deepEqual(await answer(memory, text, 500), expected);
            const reader = await Memory.open(directory, { readOnly: true });
            try {
              assert.deepEqual(await answer(reader, text, 500), expected);
            } finally {
              await reader.close();
            }
          } finally {
            await memory.close();
          }
        }),
      ),
      { numRuns: 12 },
    ));

  it("are those that hold what is asked for", () =>
    withMemory(async (memory) => {
      const filler = (from: number) =>
        Array.from({ length: 40 }, (_, i) => `Paragraph ${from + i} tells of plain weather.`).join(
          " ",
        );
      const content = `${filler(0)} The code of the safe is 4711. ${filler(100)}`;
      await memory.add({ role: "assistant", content, at: AT });
      const [item] = (await memory.recall("What is the code of the safe?", { budget: 200 })).items;
      assert.ok(item !== undefined && item.content === content);
      const packed = item.pieces.map(([start, end]) => content.slice(start, end)).join(" ");
      assert.ok(packed.includes("The code of the safe is 4711."));
      assert.ok(packed.length < content.length / 2);
      // They begin where sentences do.
      for (const [start] of item.pieces) assert.ok(/^\s?[A-Z]/.test(content.slice(start)));
    }));

  it("leave short entries whole", () =>
    withMemory(async (memory) => {
      await memory.add({ role: "user", content: "I moved to Lisbon in May.", at: AT });
      const [item] = (await memory.recall("Where does she live?")).items;
      assert.deepEqual(item?.pieces, [[0, 25]]);
    }));

  it("count less for a tool's output, so that what was done fits in", () =>
    withMemory(async (memory) => {
      const listing = "file list of the project folder, with sizes and dates of each file. ".repeat(
        40,
      );
      const log = Array.from({ length: 6 }, (_, i): Turn[] => [
        { role: "assistant", content: `ls project folder ${i}`, at: AT + i * 2000 },
        { role: "tool", content: listing, at: AT + i * 2000 + 1000 },
      ]).flat();
      await memory.addMany(log);
      const { items } = await memory.recall("Which project folder files were listed?", {
        budget: 300,
      });
      assert.equal(items.filter(({ role }) => role === "assistant").length, 6);
    }));
});

describe("what an agent hands to a tool", () => {
  const script = "write the settings of the project folder to a file and check each of them. ";
  const log = (answer: Turn["role"]) =>
    Array.from({ length: 8 }, (_, i): Turn[] => [
      { role: "assistant", content: script.repeat(8) + i, at: AT + i * 2000 },
      { role: answer, content: `project folder ${i} done`, at: AT + i * 2000 + 1000 },
    ]).flat();
  const checkBest = (answer: Turn["role"], expected: Turn["role"]) =>
    withMemory(async (memory) => {
      await memory.addMany(log(answer));
      const { items } = await memory.recall("project folder settings file", { budget: 400 });
      assert.equal(items[0]?.role, expected);
    });

  it("counts less for its length, as what comes back does", () => checkBest("tool", "tool"));

  it("is no different where a person answers", () => checkBest("user", "assistant"));
});

describe("what was said lately", () => {
  const turns = Array.from({ length: 40 }, (_, i) => ({
    role: "user" as const,
    content: "We talked about the garden",
    session: `s${i}`,
    at: AT + i * 86_400_000,
  }));
  const recalled = (at: number, check: (best: RecallItem) => void) =>
    withMemory(async (memory) => {
      await memory.addMany(turns);
      check((await memory.recall("What about the garden?", { at, budget: 60 })).items[0]!);
    });

  it("counts more while things go on, and says so", () =>
    recalled(turns.at(-1)!.at + 1000, ({ id, reasons }) => {
      assert.equal(id, "e40");
      assert.ok(reasons.other > 0.1);
    }));

  it("is what was told last, whatever time it bears", () =>
    withMemory(async (memory) => {
      const last = turns.at(-1)!.at;
      await memory.addMany(turns);
      await memory.add({ ...turns[0]!, session: "an old story", at: AT - 300 * 86_400_000 });
      const { items } = await memory.recall("What about the garden?", { at: last, budget: 60 });
      assert.equal(items[0]!.id, "e41");
    }));

  it("counts for nothing where another time is asked for", () =>
    withMemory(async (memory) => {
      const days = Array.from({ length: 300 }, (_, i) => ({
        ...turns[0]!,
        session: `s${i}`,
        at: AT + i * 86_400_000,
      }));
      await memory.addMany(days);
      const at = days.at(-1)!.at;
      const newest = async (question: string) => {
        const { items } = await memory.recall(question, { at, budget: 1e6 });
        return items.find(({ id }) => id === "e300")!.reasons.other;
      };
      assert.ok((await newest("What about the garden 280 days ago?")) < 1e-6);
      assert.ok((await newest("What about the garden two days ago?")) > 0.1);
    }));

  it("counts for nothing years later", () =>
    recalled(AT + 2000 * 86_400_000, ({ reasons }) => {
      assert.ok(Math.abs(reasons.other) < 1e-6);
    }));
});
