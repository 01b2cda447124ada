import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readGeneric } from "../../../bench/quality/generic.js";
import { readLocomo } from "../../../bench/quality/locomo.js";
import { dataFolder, usageError } from "./files.js";

const { folder, file } = dataFolder();

describe("the reader of LoCoMo's layout", () => {
  const said = (dia_id: string, text: string, more = {}) => ({
    speaker: "Ada",
    dia_id,
    text,
    ...more,
  });
  const dialogue = {
    sample_id: "one",
    conversation: {
      session_1_date_time: "12:05 am on 3 March, 2024",
      session_1: [said("D1:1", "Rain."), said("D1:2", "Look", { blip_caption: "a wet dog" })],
      session_2_date_time: "1:10 pm on 4 March, 2024",
      session_3_date_time: "11:59 pm on 5 March, 2024",
      session_3: [said("D3:1", "Sun at last.")],
    },
    qa: [
      { question: "a?", evidence: ["D1:1; D3:01", "D:1:2"], category: 1 },
      { question: "b?", evidence: ["D", "D9:9", "(D1:1)", "D1:1"], category: 5 },
      { question: "c?", evidence: [], category: 4 },
      { question: "d?", category: 4 },
      { question: "e?", evidence: ["D7:1"], category: 4 },
    ],
  };

  it("reads turns with their session, date and picture, past a session without turns", () => {
    const [conversation] = readLocomo(file([dialogue])).conversations;
    assert.equal(conversation?.id, "one");
    assert.deepEqual(
      conversation.turns.map(({ id, checked: { session, content } }) => [id, session, content]),
      [
        ["D1:1", "session_1", "Rain."],
        ["D1:2", "session_1", "Look [shares a wet dog]"],
        ["D3:1", "session_3", "Sun at last."],
      ],
    );
    assert.equal(conversation.turns[0]?.checked.at, Date.UTC(2024, 2, 3, 0, 5));
    assert.equal(conversation.turns[2]?.checked.at, Date.UTC(2024, 2, 5, 23, 59));
  });

  it("reads every form of evidence, and counts what names nothing", () => {
    const data = readLocomo(file([dialogue]));
    assert.deepEqual(
      data.conversations[0]?.questions.map(({ question, evidence, category }) => [
        question,
        evidence,
        category,
      ]),
      [
        ["a?", [0, 2, 1], "multi-hop"],
        ["b?", [0], "adversarial"],
      ],
    );
    assert.equal(data.questionsLeftOut, 3);
    assert.equal(data.evidenceLeftOut, 3);
  });

  it("says what is wrong and where", () => {
    const broken = (change: (copy: typeof dialogue) => void) => {
      const copy = structuredClone(dialogue);
      change(copy);
      return file([copy]);
    };
    const cases: [string, RegExp][] = [
      [join(folder, "absent.json"), /cannot read.*absent\.json/],
      [file("[{"), /broken JSON/],
      [file({}), /expected LoCoMo's layout/],
      [
        broken((copy) => delete (copy as Partial<typeof dialogue>).qa),
        /\[0\]\.qa: expected a list/,
      ],
      [
        broken((copy) => {
          copy.conversation.session_1[1] = { ...said("D1:1", "again") };
        }),
        /two turns have the id "D1:1"/,
      ],
      [
        broken((copy) => {
          copy.conversation.session_3_date_time = "soon";
        }),
        /dialogue "one", session 3: no date in "soon"/,
      ],
      [
        broken((copy) => {
          copy.qa[0]!.category = 6;
        }),
        /qa\[0\]\.category: expected 1 to 5, got 6/,
      ],
      [
        broken((copy) => {
          Object.assign(copy.conversation.session_1[0]!, { text: 7 });
        }),
        /session 1: a turn without speaker or text/,
      ],
    ];
    for (const [path, pattern] of cases) {
      assert.throws(() => readLocomo(path), usageError(pattern));
    }
  });
});

describe("the reader of the generic layout", () => {
  const set = {
    conversations: [
      {
        id: "c1",
        turns: [
          { id: "t1", session: "s1", speaker: "Ana", at: "2026-01-05T10:00:00Z", content: "Hi" },
          { id: "t2", role: "tool", content: "42" },
        ],
        questions: [
          { id: "x", question: "who?", evidence: ["t2", "t1", "t2"], category: "easy" },
          { question: "when?", at: "2026-03-01T00:00:00Z", evidence: ["t1"] },
          { question: "nothing?", evidence: [] },
        ],
      },
    ],
  };

  it("reads turns and questions, with defaults for what may be absent", () => {
    const data = readGeneric(file(set));
    const [conversation] = data.conversations;
    const { id, checked } = conversation?.turns[1] ?? {};
    assert.equal(id, "t2");
    assert.deepEqual([checked?.role, checked?.session], ["tool", "default"]);
    assert.deepEqual(
      conversation?.questions.map(({ id, evidence, category }) => [id, evidence, category]),
      [
        ["x", [1, 0], "easy"],
        ["q2", [0], "uncategorised"],
      ],
    );
    assert.equal(data.questionsLeftOut, 1);
  });

  it("says what is wrong and where", () => {
    const turn = { id: "t", content: "" };
    const one = (conversation: object) =>
      file({ conversations: [{ id: "c", turns: [turn], questions: [], ...conversation }] });
    const cases: [string, RegExp][] = [
      [file([]), /expected { "conversations"/],
      [file({}), /expected { "conversations"/],
      [one({ turns: [{ content: "" }] }), /turns: expected every turn to have an id/],
      [one({ turns: [turn, turn] }), /turns: two turns have the id "t"/],
      [
        one({ turns: [{ ...turn, role: "robot" }] }),
        /conversation "c", turn 1: turn\.role: expected/,
      ],
      [one({ turns: [{ ...turn, at: "noon" }] }), /conversation "c", turn 1: turn\.at: expected/],
      [
        one({ questions: [{ question: "?", evidence: ["t", "u"] }] }),
        /questions\[0\]\.evidence\[1\]: no turn has the id "u"/,
      ],
    ];
    for (const [path, pattern] of cases) {
      assert.throws(() => readGeneric(path), usageError(pattern));
    }
  });
});
