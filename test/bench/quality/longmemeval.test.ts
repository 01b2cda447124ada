import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ndcg, readLongMemEval } from "../../../bench/quality/longmemeval.js";
import { dataFolder, usageError } from "./files.js";

const { file } = dataFolder();

const item = (more = {}) => ({
  question_id: "q1",
  question_type: "temporal-reasoning",
  question: "When did I plant the quince?",
  question_date: "2023/05/30 (Tue) 23:40",
  answer: 7,
  haystack_session_ids: ["filler", "answer_1", "filler"],
  haystack_dates: ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00", "2023/06/21 (Wed) 10:00"],
  haystack_sessions: [
    [{ role: "user", content: "Hello." }],
    [
      { role: "user", content: "I planted the quince today.", has_answer: true },
      { role: "assistant", content: "Well done.", has_answer: false },
    ],
    [{ role: "user", content: "Bye." }],
  ],
  answer_session_ids: ["answer_1"],
  ...more,
});

describe("the reader of LongMemEval's layout", () => {
  it("reads a haystack a question, and leaves out those without an answer", () => {
    const items = [item(), item({ question_id: "q2_abs" }), item({ answer_session_ids: ["gone"] })];
    const data = readLongMemEval(file(items));
    assert.equal(data.conversations.length, 1);
    assert.equal(data.questionsLeftOut, 2);
    const { turns, questions } = data.conversations[0]!;
    assert.deepEqual(
      turns.map(({ checked: { session } }) => session),
      ["filler", "answer_1", "answer_1", "filler'"],
    );
    assert.equal(turns[0]?.checked.at, Date.UTC(2023, 4, 20, 2, 21));
    assert.deepEqual(questions[0]?.evidence, [1]);
    // A session of the haystack that is dated after the question is known all the same.
    assert.equal(questions[0]?.at?.getTime(), Date.UTC(2023, 5, 21, 10, 0));
    assert.equal(questions[0]?.answer, "7");
  });

  it("scores sessions at the rank of their best turn, and turns", () => {
    const data = readLongMemEval(file([item()]));
    const conversation = data.conversations[0]!;
    const scores = new Map(
      data
        .score(conversation, conversation.questions[0]!, {
          ranking: [0, 2, 1],
          packed: new Map([
            [
              "20",
              { turns: new Map([[1, "user: I planted the quince today."]]), text: "", tokens: 8 },
            ],
          ]),
        })
        .map(({ metric, value }) => [metric, value]),
    );
    assert.equal(scores.get("session-any@1"), 0);
    assert.equal(scores.get("session-all@3"), 100);
    assert.equal(scores.get("any@1"), 0);
    assert.equal(scores.get("ndcg@3")?.toFixed(6), (100 / Math.log2(3)).toFixed(6));
    assert.equal(scores.get("evidence-complete@20"), 100);
  });

  it("discounts as the official evaluation does", () => {
    assert.equal(ndcg(["a"], ["a", "b"], 5), 1);
    assert.equal(ndcg(["a"], ["b", "a"], 5), 1); // the second rank counts in full
    assert.equal(ndcg(["a", "b"], ["c", "d", "a"], 3), 1 / Math.log2(3) / 2);
    assert.equal(ndcg(["a"], ["b", "c"], 5), 0);
  });

  it("says what is wrong and where", () => {
    const cases: [object, RegExp][] = [
      [{ question_date: "soon" }, /\[0\]\.question_date: no date in "soon"/],
      [{ haystack_dates: [] }, /\[0\]: expected as many/],
      [{ haystack_sessions: 3 }, /\[0\]\.haystack_sessions: expected a list/],
    ];
    for (const [more, pattern] of cases) {
      assert.throws(() => readLongMemEval(file([item(more)])), usageError(pattern));
    }
  });
});
