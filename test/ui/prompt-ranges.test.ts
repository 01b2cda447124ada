import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PACKERS, type Recall, type Turn } from "../../src/index.js";
import type { RecallItem } from "../../src/ui/page/api.js";
import { shownItems } from "../../src/ui/page/prompt-ranges.js";
import { withMemory } from "../lib/with-memory.js";
import { conversation } from "./lib/service.js";

/** As it comes over HTTP. */
function itemsOf(recall: Recall): readonly RecallItem[] {
  return JSON.parse(JSON.stringify(recall.items)) as RecallItem[];
}

/** Recalls of all packers, whose every item must be found, and what is marked be what matched. */
async function check(turns: readonly Turn[], question: string, budget = 2000): Promise<void> {
  await withMemory(async (memory) => {
    await memory.addMany(turns);
    for (const packer of PACKERS) {
      const recall = await memory.recall(question, { budget, packer });
      assert.ok(recall.items.length > 0);
      const items = itemsOf(recall);
      const shown = shownItems(recall.text, items);
      assert.deepEqual(shown.map(({ item }) => item).sort(), [...items.keys()].sort(), packer);
      for (const [i, { item, start, end, highlights }] of shown.entries()) {
        assert.ok(start >= (shown[i - 1]?.end ?? 0));
        const { content, pieces, highlights: own } = items[item]!;
        const within = own.filter(([from, to]) => pieces.some(([a, b]) => a <= from && to <= b));
        const marked = highlights.map(([from, to]) => recall.text.slice(from, to));
        for (const [from, to] of within) assert.ok(marked.includes(content.slice(from, to)));
        const isWhole = pieces.length === 1 && pieces[0]![1] - pieces[0]![0] === content.length;
        const text = recall.text.slice(start, end);
        // No backslash is anything's only difference here.
        if (isWhole) assert.equal(text.replaceAll("\\", ""), content.replaceAll("\\", ""));
      }
    }
  });
}

describe("the items of a packed text", () => {
  it("are found in all packers' texts", async () => {
    await check(conversation(), "What dose of Carprofen does Pipa get?");
  });

  it("are found where texts are like labels, like each other, or parts of each other", async () => {
    const texts = [
      "Ana",
      "Ana: Ana",
      "a: b",
      "b",
      "a: b: c",
      ": ",
      "user",
      "Ana Ana",
      "…",
      "Ana …",
    ];
    const turns = ["Ana", "Ben", undefined].flatMap((speaker) =>
      [...texts, ...texts].map((content) => ({ role: "user" as const, content, speaker })),
    );
    await check(turns, "Ana b user");
  });

  it("are found where they are escaped, over several lines", async () => {
    const lines = [
      "[2026-01-01] then",
      "\\[2026-01-01]",
      "Ana: never",
      "\\\\Ana: \\ x",
      "plain",
      "",
    ];
    const turns = lines.flatMap((first) =>
      ["\n", "\u2028", "\r\n"].map((end) => ({
        role: "user" as const,
        speaker: "Ana",
        content: [first, ...lines].join(end),
      })),
    );
    await check(turns, "never plain then");
  });

  it("are found where only pieces of a long one are shown", async () => {
    const filler = (i: number) => `Sentence ${i} is about nothing much, and goes on for a while. `;
    const content = Array.from({ length: 120 }, (_, i) =>
      i % 40 === 20 ? `The harbour of Lisbon, number ${i}, is full of boats. ` : filler(i),
    ).join("");
    await check([{ role: "user", content }], "Which boats are in the harbour of Lisbon?", 150);
  });
});
