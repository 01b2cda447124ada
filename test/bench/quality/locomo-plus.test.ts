import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readLocomoPlus } from "../../../bench/quality/locomo-plus.js";
import { dataFolder, usageError } from "./files.js";

const { file } = dataFolder();

const said = (speaker: string, id: string, text: string) => ({ speaker, dia_id: id, text });
const host = (id: string) => ({
  sample_id: id,
  conversation: {
    session_1_date_time: "12:00 pm on 1 March, 2024",
    session_1: [said("Ada", "D1:1", "Rain."), said("Bo", "D1:2", "Again.")],
    session_2_date_time: "12:00 pm on 1 May, 2024",
    session_2: [said("Ada", "D2:1", "Sun.")],
  },
  qa: [],
});
const dialogues = file([host("one"), host("two")]);

const cue = (more = {}) => ({
  relation_type: "causal",
  cue_dialogue: "A: I learned to say no.\nand mean it\nB: Good.",
  trigger_query: "A: I took on too much again.",
  time_gap: "two weeks later",
  ...more,
});

describe("the reader of LoCoMo-Plus", () => {
  it("inserts each cue as a session of a dialogue, as long before the trigger as it says", () => {
    const data = readLocomoPlus(file([cue(), cue({ time_gap: "" }), cue()]), {
      pieceChars: 800,
      dialogues,
    });
    assert.deepEqual(
      data.conversations.map(({ id }) => id),
      ["one+1", "two+2", "one+3"],
    );
    const [first, second] = data.conversations;
    // A week after the 1st of May, less two weeks: the 24th of April.
    assert.deepEqual(
      first?.turns.map(({ id }) => id),
      ["D1:1", "D1:2", "cue:1", "cue:2", "D2:1"],
    );
    const { checked } = first?.turns[2] ?? {};
    assert.equal(new Date(checked?.at ?? 0).toISOString().slice(0, 10), "2024-04-24");
    assert.deepEqual(
      [checked?.speaker, checked?.content],
      ["Ada", "I learned to say no.\nand mean it"],
    );
    const [question] = first?.questions ?? [];
    assert.deepEqual(question?.evidence, [2]);
    assert.equal(question?.question, "I took on too much again.");
    assert.equal(question?.category, "causal");
    assert.deepEqual(second?.questions[0]?.evidence, [3]);
  });

  it("says what is missing", () => {
    const options = { pieceChars: 800 };
    assert.throws(() => readLocomoPlus(file([cue()]), options), usageError(/--dialogues/));
    assert.throws(
      () => readLocomoPlus(file([cue({ cue_dialogue: "" })]), { ...options, dialogues }),
      usageError(/\[0\]\.cue_dialogue: expected a line/),
    );
  });
});
