import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { QuestionMatcher } from "../../src/recall/matches.js";
import { loadEncoder } from "../../src/signatures/encoder.js";
import { datesNamed } from "../../src/text/dates.js";
import { words } from "../../src/text/words.js";
import { content } from "../lib/contents.js";

const encoder = loadEncoder("distilled");

function match(
  question: string,
  content: string,
  radius = 42,
  { speaker, at = 0 }: { speaker?: string; at?: number } = {},
) {
  const asked = words(question);
  const dates = datesNamed(question, asked);
  const query = encoder.encodeQuery(asked);
  const shares = new Float32Array(query.stems.length).fill(1 / query.stems.length);
  const matcher = new QuestionMatcher({ words: asked, dates, query, radius, shares }, encoder);
  return matcher.match({ content, speaker, at });
}

describe("QuestionMatcher", () => {
  it("finds the same word and its other forms, wherever they are", () => {
    const text = "Moving! I moved, I move; MOVED.";
    const { highlights, words } = match("Where did she move?", text, 0);
    assert.deepEqual(
      highlights.map(([start, end]) => text.slice(start, end)),
      ["Moving", "moved", "move", "MOVED"],
    );
    assert.deepEqual(words, [{ word: "move", matched: "Moving", similarity: 1, weight: 1 }]);
  });

  it("finds words of a similar meaning within the radius, and fewer in a smaller one", () => {
    const text = "My kitten sleeps, the airplane landed.";
    const near = match("cat", text);
    assert.deepEqual(
      near.highlights.map(([start, end]) => text.slice(start, end)),
      ["kitten"],
    );
    const [kitten] = near.words;
    assert.equal(kitten!.matched, "kitten");
    assert.ok(kitten!.similarity >= 0.5 && kitten!.similarity < 1);
    assert.deepEqual(match("cat", text, 5), { words: [], highlights: [], own: 0 });
  });

  it("finds the speaker's name, which is not in the content", () => {
    const { words, highlights, own } = match("What did Ben buy?", "A lamp.", 0, {
      speaker: "Ben Q.",
    });
    assert.deepEqual(words, [{ word: "ben", matched: "Ben", similarity: 1, weight: 0.5 }]);
    assert.deepEqual({ highlights, own }, { highlights: [], own: 0.5 });
  });

  it("finds the date, which is not in the content either", () => {
    const at = Date.UTC(2023, 7, 14);
    const { words } = match("What did he buy in August 2023?", "A lamp.", 0, { at });
    assert.deepEqual(
      words.map(({ word, matched }) => [word, matched]),
      [
        ["august", "2023-08-14"],
        ["2023", "2023-08-14"],
      ],
    );
    assert.deepEqual(match("What did he buy in July?", "A lamp.", 0, { at }).words, []);
  });

  it("counts in UTF-16 units, and finds words without spaces", () => {
    const text = "👩‍🍳 è Lisbona: 我搬到里斯本去了";
    const { highlights } = match("lisbona 里斯本", text, 0);
    assert.ok(highlights.some(([start, end]) => text.slice(start, end) === "Lisbona"));
    assert.ok(highlights.some(([start, end]) => "里斯本".includes(text.slice(start, end))));
  });

  it("finds the same in a content whether it has looked at others before or not", () =>
    fc.assert(
      fc.property(content, fc.array(content, { maxLength: 4 }), (question, texts) => {
        const asked = words(question);
        const query = encoder.encodeQuery(asked);
        const shares = new Float32Array(query.stems.length).fill(1);
        const rest = { words: asked, dates: [], query, radius: 42, shares };
        const fresh = () =>
          new QuestionMatcher({ ...rest, lengthFactor: (codes) => codes + 1 }, encoder);
        const one = fresh();
        for (const text of [...texts, ...texts]) {
          const entry = { content: text, speaker: undefined, at: 0 };
          assert.deepEqual(one.match(entry), fresh().match(entry));
        }
      }),
    ));

  it("marks an identifier and its parts as one", () => {
    const text = "set maxTokens = 5";
    assert.deepEqual(match("maxTokens max", text, 0).highlights, [[4, 13]]);
  });

  it("gives ranges in order that do not overlap, and matches at least as similar as the radius", () =>
    fc.assert(
      fc.property(content, content, (question, text) => {
        const { highlights, words } = match(question, text);
        let end = 0;
        for (const [from, to] of highlights) {
          assert.ok(from >= end && to > from && to <= text.length);
          end = to;
        }
        if (highlights.length > 0) assert.ok(words.length > 0);
        for (const { similarity } of words) assert.ok(similarity >= 0.49 && similarity <= 1);
      }),
      { numRuns: 300 },
    ));
});
