import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readAma, stepsNamed } from "../../../bench/quality/ama.js";
import type { Score } from "../../../bench/quality/outcome.js";
import { dataFolder, usageError } from "./files.js";

const { folder, file } = dataFolder();

const episode = () => ({
  domain: "Gaming",
  trajectory: [
    { turn_idx: 0, action: "look", observation: "A lamp stands here." },
    { turn_idx: 1, action: "take lamp", observation: { inventory: ["lamp"] } },
    { turn_idx: 2, action: "wave lamp", observation: `A genie appears. ${"x".repeat(900)}` },
  ],
  qa_pairs: [
    {
      question: "What happened after step 1?",
      answer: "At step 2 a genie appeared, not a dragon; see also step 9.",
      type: "A",
    },
  ],
});

const value = (scores: readonly Score[], metric: string) =>
  scores.find((score) => score.metric === metric)?.value;

describe("the reader of AMA-Bench's layout", () => {
  it("makes a step two turns, with its number in front", () => {
    const [conversation] = readAma(file(episode()), { pieceChars: 800 }).conversations;
    assert.deepEqual(
      conversation?.turns.slice(0, 4).map(({ checked: { role, content } }) => [role, content]),
      [
        ["assistant", "Step 0: look"],
        ["tool", "Step 0: A lamp stands here."],
        ["assistant", "Step 1: take lamp"],
        ["tool", 'Step 1: {"inventory":["lamp"]}'],
      ],
    );
    assert.deepEqual(conversation?.turns[3]?.turn.metadata, { step: 1, sourceId: "1:tool" });
  });

  it("labels a question by the words and steps that only its answer has", () => {
    const data = readAma(file(episode()), { pieceChars: 800 });
    const conversation = data.conversations[0]!;
    const question = conversation.questions[0]!;
    assert.equal(question.category, "Gaming");
    assert.deepEqual(question.words, ["2", "geni", "appear"]); // no dragon in the episode
    assert.deepEqual(question.newSteps, [[4, 5]]); // there is no step 9
    const outcome = (text: string, turns: [number, string][]) => ({
      ranking: [],
      packed: new Map([["9", { turns: new Map(turns), text, tokens: 3 }]]),
    });
    const half = data.score(conversation, question, outcome("genies", [[5, "genies"]]));
    assert.equal(Math.round(value(half, "answer-token-coverage@9") ?? 0), 33);
    assert.equal(value(half, "new-step-recall@9"), 100);
    const none = data.score(conversation, question, outcome("", [[3, ""]]));
    assert.equal(value(none, "new-step-recall@9"), 0);
  });

  it("gives its reference pieces of steps", () => {
    file(episode(), "one.json");
    const data = readAma(folder, { pieceChars: 400 });
    const units = data.reference.units(data.conversations[0]!);
    assert.equal(units[0]?.text, "Step 0: Action: look\nObservation: A lamp stands here.");
    assert.deepEqual(
      units.slice(2).map(({ text, turns }) => [text.length, turns]),
      [
        [408, [4, 5]],
        [408, [4, 5]],
        [156, [4, 5]],
      ],
    );
  });

  it("reads every form of naming steps", () => {
    const cases: [string, number[]][] = [
      ["step 4", [4]],
      ["Steps 3-5 and turn #9", [3, 4, 5, 9]],
      ["turns 3 and 7", [3, 7]],
      ["steps 2 through 4", [2, 3, 4]],
      ["steps 1 to 900", [1, 900]],
      ["stepped over 5 stairs", []],
    ];
    for (const [text, steps] of cases) {
      assert.deepEqual(
        [...stepsNamed(text)].sort((a, b) => a - b),
        steps,
        text,
      );
    }
  });

  it("says what is wrong and where", () => {
    const broken = { ...episode(), qa_pairs: [{ question: "?", answer: 3 }] };
    assert.throws(
      () => readAma(file(broken), { pieceChars: 800 }),
      usageError(/qa_pairs\[0\]\.answer: expected a string, got 3/),
    );
  });
});
