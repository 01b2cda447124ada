import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { PACKERS } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

const words = fc.constantFrom(
  ...[
    "yesterday",
    "last",
    "week",
    "ago",
    "years",
    "99999999999",
    "0",
    "3",
    "-1",
    "since",
    "before",
    "the",
  ],
  ...[
    "between",
    "and",
    "to",
    "May",
    "2023",
    "31",
    "February",
    "step",
    "turn",
    "session",
    "first",
    "third",
  ],
  ...[
    "message",
    "#",
    "12",
    "at",
    "beginning",
    "move",
    "after",
    "her",
    "Monday",
    "next",
    "hace",
    "días",
    "vor",
  ],
  ...[
    "Tagen",
    "gestern",
    "先週",
    "2日前",
    "上周",
    "am",
    "25:99",
    "1/1/1",
    "2023-13-45",
    "noon",
    "in",
    "null",
  ],
);
const question = fc.oneof(
  fc.array(words, { maxLength: 12 }).map((parts) => parts.join(" ")),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const moment = fc.oneof(fc.constantFrom(0, -8.64e15, 8.64e15, 1e12), fc.integer());

it("answers any question, asked at any time, within the budget", () =>
  withMemory(async (memory) => {
    for (let i = 0; i < 30; i++) {
      await memory.add({
        ...{
          role: i % 2 === 0 ? "assistant" : "tool",
          content: `step ${i} before the move`,
          at: i * 1e10,
        },
        ...{
          session: `s${i % 3}`,
          toolCallId: `c${i >> 1}`,
          metadata: { step: i % 7 === 0 ? "x" : i },
        },
      });
    }
    await fc.assert(
      fc.asyncProperty(
        question,
        moment,
        fc.integer({ min: 1, max: 400 }),
        fc.constantFrom(...PACKERS),
        async (asked, at, budget, packer) => {
          const { tokens, items } = await memory.recall(asked, { at, budget, packer });
          assert.ok(tokens <= budget);
          for (const { reasons, score } of items) {
            assert.ok(Number.isFinite(score) && Number.isFinite(reasons.place));
          }
        },
      ),
      { numRuns: 1500 },
    );
  }));
