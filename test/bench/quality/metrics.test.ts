import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Row } from "../../../bench/lib/row.js";
import { Bm25, stems } from "../../../bench/quality/bm25.js";
import { bm25Reference, TURNS_BY_SESSION } from "../../../bench/quality/bm25-reference.js";
import type { Conversation, EvidenceQuestion } from "../../../bench/quality/dataset.js";
import { Ingested } from "../../../bench/quality/ingested.js";
import { Means, scoreEvidence } from "../../../bench/quality/metrics.js";
import { line, type Outcome } from "../../../bench/quality/outcome.js";
import { checkTurn } from "../../../src/turn.js";

function conversation(...sessions: string[][]): Conversation {
  const turns = sessions.flatMap((contents, s) =>
    contents.map((content, i) => {
      const turn = { role: "user", speaker: "Ada", session: `s${s}`, content } as const;
      return { id: `${s}:${i}`, turn, checked: checkTurn("turn", turn), date: `day ${s}` };
    }),
  );
  return { id: "c", turns, questions: [] };
}

function question(text: string, evidence: number[], category = "easy"): EvidenceQuestion {
  return { id: text, question: text, at: undefined, evidence, category };
}

function value(rows: readonly Row[], name: string, metric: string): number | undefined {
  return rows.find((row) => row.name === name && row.metric === metric)?.value;
}

describe("the quality metrics", () => {
  it("count a question as complete only with every evidence turn packed", () => {
    const means = new Means();
    const talk = conversation(["a", "b"], ["c", "d"]);
    const packed = (turns: number[]) => ({
      turns: new Map(turns.map((turn) => [turn, line(talk.turns[turn]!.checked)])),
      text: "",
      tokens: 10 * turns.length,
    });
    const outcome = (turns: number[]) => ({
      ranking: turns,
      packed: new Map([["100", packed(turns)]]),
    });
    const add = (number: number, asked: EvidenceQuestion, given: Outcome) =>
      means.add(number, asked.category, scoreEvidence(talk, asked, given));
    add(0, question("1", [0, 2]), outcome([0, 2]));
    add(1, question("2", [0, 2]), outcome([0, 1, 3]));
    add(2, question("3", [3], "hard"), outcome([1]));
    const rows = means.rows("x");
    assert.equal(value(rows, "x", "evidence-complete@100"), 100 / 3);
    assert.equal(value(rows, "x", "evidence-recall@100"), 50);
    assert.equal(value(rows, "x", "tokens@100"), 20);
    assert.equal(value(rows, "x/easy", "evidence-complete@100"), 50);
    assert.equal(value(rows, "x/easy", "evidence-recall@100"), 75);
    assert.equal(value(rows, "x/hard", "evidence-complete@100"), 0);
    assert.equal(value(rows, "x", "questions"), 3);
    assert.equal(value(rows, "x/hard", "questions"), 1);
  });

  it("rank sessions by their best turn", () => {
    const means = new Means();
    const talk = conversation(["a", "b"], ["c"], ["d"]);
    const outcome = { ranking: [2, 0, 1, 3], packed: new Map() };
    means.add(0, "easy", scoreEvidence(talk, question("1", [1, 3]), outcome));
    const rows = means.rows("x");
    assert.equal(value(rows, "x", "session-any@1"), 0);
    assert.equal(value(rows, "x", "session-all@5"), 100);
    assert.equal(value(rows, "x", "R@10"), 100);
    assert.equal(value(rows, "x", "any@5"), 100);
  });

  it("cut turns at k", () => {
    const means = new Means();
    const talk = conversation(Array.from({ length: 12 }, (_, i) => String(i)));
    const ranking = Array.from({ length: 12 }, (_, i) => i);
    const outcome = { ranking, packed: new Map() };
    means.add(0, "easy", scoreEvidence(talk, question("1", [4, 5, 10, 11]), outcome));
    const rows = means.rows("x");
    assert.equal(value(rows, "x", "R@10"), 50);
    assert.equal(value(rows, "x", "any@5"), 100);
    assert.equal(value(rows, "x", "all@10"), 0);
    assert.equal(value(rows, "x", "all@25"), 100);
  });
});

describe("the BM25 reference", () => {
  it("stems words and leaves stop words out", () => {
    assert.deepEqual(stems("The Dogs were RUNNING to Café 21!"), ["dog", "run", "cafe", "21"]);
  });

  it("ranks by the formula, worked by hand on three texts", () => {
    // "dog": in texts 0 and 2, idf = ln(1 + 1.5 / 2.5); lengths 1, 2, 3 with mean 2.
    const bm25 = new Bm25(["dog", "cat bird", "dog dog fish"]);
    const idf = Math.log(1 + 1.5 / 2.5);
    const short = (idf * 2.2) / (1 + 1.2 * (0.25 + 0.75 * 0.5));
    const long = (idf * 2 * 2.2) / (2 + 1.2 * (0.25 + 0.75 * 1.5));
    assert.ok(short > long);
    assert.deepEqual(bm25.rank("dogs dogs"), [0, 2, 1]);
    assert.deepEqual(bm25.rank("nothing here"), [0, 1, 2]);
  });

  it("packs by session, a header each, and stops at the first turn that doesn't fit", async () => {
    const talk = conversation(["apple pie"], ["apple"], ["x".repeat(400)], ["pear"]);
    const reader = await bm25Reference("chars/4", TURNS_BY_SESSION).open(talk, new Ingested(talk));
    // A header "## day 0\n" costs 3, "Ada: apple\n" 3, "Ada: apple pie\n" 4; the third, 102.
    const answer = await reader.answer(question("apple", [0]), [5, 6, 13, 60, 1000], 0);
    const packed = (budget: number) => {
      const { turns, tokens } = answer.packed.get(String(budget))!;
      return [[...turns.keys()], tokens];
    };
    assert.deepEqual(packed(5), [[], 0]);
    assert.deepEqual(packed(6), [[1], 6]);
    assert.deepEqual(packed(13), [[1, 0], 13]);
    assert.deepEqual(packed(60), [[1, 0], 13]); // "pear" would fit, but comes after the misfit
    assert.deepEqual(packed(1000)[0], [1, 0, 2, 3]);
    assert.deepEqual(answer.ranking, [1, 0, 2, 3]);
  });
});
