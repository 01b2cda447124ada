import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bm25Reference } from "../../../bench/quality/bm25-reference.js";
import { Ingested } from "../../../bench/quality/ingested.js";
import type { Score } from "../../../bench/quality/outcome.js";
import { readRealMem } from "../../../bench/quality/realmem.js";
import { dataFolder, usageError } from "./files.js";

const { folder, file } = dataFolder();

const turn = (speaker: string, content: string, more = {}) => ({
  speaker,
  content,
  is_query: false,
  ...more,
});

const persona = () => ({
  dialogues: [
    {
      session_uuid: "s1",
      current_time: "2025-12-15 (Monday)",
      dialogue_turns: [
        turn("User", "My boat is called Marlin."),
        turn("Assistant", "A fine name."),
      ],
      extracted_memory: [
        {
          session_uuid: "s1",
          content: "【Boat】 The boat is called Marlin",
          source_turn: 1,
          source_content_snapshot: "My boat is called Marlin. ",
        },
      ],
    },
    {
      session_uuid: "s2",
      current_time: "2025-12-15 (Monday)",
      dialogue_turns: [turn("User", "I like plums."), turn("Assistant", "Noted.")],
    },
    {
      session_uuid: "s3",
      current_time: "2025-12-14 (Sunday)",
      dialogue_turns: [
        turn("User", "What is my boat called?", { is_query: true, category_name: "Static" }),
        turn("Assistant", "Marlin.", {
          memory_session_uuids: ["s1", "s3", "gone"],
          memory_used: [
            { session_uuid: "s1", content: "【Boat】 The boat is called Marlin" },
            { session_uuid: "s2", content: "A memory that nothing says" },
          ],
        }),
        turn("User", "And its colour?", { is_query: true }),
        turn("Assistant", "I can't say.", { memory_session_uuids: [] }),
      ],
    },
  ],
});

const value = (scores: readonly Score[], metric: string) =>
  scores.find((score) => score.metric === metric)?.value;

describe("the reader of RealMem's layout", () => {
  it("reads questions with what was known, and the labels of the reply", () => {
    file(persona(), "Ada_dialogues_256k.json");
    file("not a persona", "Ada_dialogues_8k.json");
    const data = readRealMem(folder);
    const [conversation] = data.conversations;
    assert.equal(data.conversations.length, 1);
    assert.equal(conversation?.turns.length, 8);
    assert.deepEqual(
      conversation?.turns.slice(0, 3).map(({ checked: { role, session } }) => [role, session]),
      [
        ["user", "s1"],
        ["assistant", "s1"],
        ["user", "s2"],
      ],
    );
    const [question] = conversation?.questions ?? [];
    assert.equal(conversation?.questions.length, 1);
    assert.deepEqual(question?.sessions, ["s1"]);
    assert.deepEqual(question?.points[0], ["boat", "call", "marlin"]);
    assert.deepEqual(question?.evidence, [0]);
    assert.equal(question?.known, 4);
    assert.equal(question?.category, "Static");
    assert.equal(data.questionsLeftOut, 1);
    assert.equal(data.evidenceLeftOut, 1);
  });

  it("keeps the sessions of a day in order, and dates no question before what it knows", () => {
    const [conversation] = readRealMem(file(persona())).conversations;
    const times = conversation?.turns.slice(0, 4).map(({ checked: { at } }) => at) ?? [];
    assert.deepEqual(times, [...times].sort());
    assert.equal(new Set(times).size, 4);
    assert.ok((conversation?.questions[0]?.at?.getTime() ?? 0) >= Math.max(...times));
  });

  it("scores a point by one turn's packed text, and source turns only when whole", () => {
    const data = readRealMem(file(persona()));
    const conversation = data.conversations[0]!;
    const question = conversation.questions[0]!;
    const packed = (turns: [number, string][]) => ({
      ranking: [2, 0],
      packed: new Map([["50", { turns: new Map(turns), text: "", tokens: 9 }]]),
    });
    const all = data.score(
      conversation,
      question,
      packed([[0, "user: My boat is called Marlin."]]),
    );
    assert.equal(value(all, "memory-point-coverage@50"), 50); // the other point is nowhere
    assert.equal(value(all, "evidence-turn-complete@50"), 100);
    assert.equal(value(all, "session-any@5"), 100);
    const piece = data.score(conversation, question, packed([[0, "user: My boat is … Marlin"]]));
    assert.equal(value(piece, "memory-point-coverage@50"), 0);
    assert.equal(value(piece, "evidence-turn-complete@50"), 0);
    const spread = packed([
      [0, "user: My boat"],
      [1, "assistant: called Marlin"],
    ]);
    assert.equal(value(data.score(conversation, question, spread), "memory-point-coverage@50"), 0);
  });

  it("gives its reference whole turns of earlier sessions, with gaps, the later first", async () => {
    const data = readRealMem(file(persona()));
    const conversation = data.conversations[0]!;
    const reader = await bm25Reference("chars/4", data.reference).open(
      conversation,
      new Ingested(conversation),
    );
    // "User: My boat is called Marlin.\n" is 8 tokens and 6 more; then the later of equals.
    const { ranking, packed } = await reader.answer(conversation.questions[0]!, [75], 0);
    assert.deepEqual(ranking, [0, 3, 2, 1]);
    assert.deepEqual([...packed.get("75")!.turns.keys()], [0, 3, 2, 1]);
    const { packed: few } = await reader.answer(conversation.questions[0]!, [80, 14], 0);
    assert.equal(few.get("14")?.tokens, 14);
  });

  it("says what is wrong and where", () => {
    const broken = persona();
    broken.dialogues[0]!.current_time = "soon";
    assert.throws(
      () => readRealMem(file(broken)),
      usageError(/dialogues\[0\]\.current_time: no date in "soon"/),
    );
    assert.throws(() => readRealMem(file([])), usageError(/expected an object/));
  });
});
