import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Dataset } from "../../../bench/quality/dataset.js";
import { BY_EVIDENCE } from "../../../bench/quality/evidence.js";
import { select } from "../../../bench/quality/share.js";
import { usageError } from "./files.js";

/** Seven conversations of three questions each. */
const data: Dataset = {
  ...BY_EVIDENCE,
  score: () => [],
  questionsLeftOut: 0,
  evidenceLeftOut: 0,
  conversations: Array.from({ length: 7 }, (_, c) => ({
    id: `c${c}`,
    turns: [],
    questions: [0, 1, 2].map((q) => ({
      id: `c${c}q${q}`,
      question: "",
      at: undefined,
      category: "",
    })),
  })),
};

const idsOf = ({ conversations }: Dataset) => conversations.map(({ id }) => id);
const questionsOf = ({ conversations }: Dataset) =>
  conversations.flatMap(({ questions }) => questions.map(({ id }) => id));

describe("a part of a data set", () => {
  it("is one half or the other, which together are all", () => {
    const a = idsOf(select(data, { share: "dev-a" }));
    const b = idsOf(select(data, { share: "dev-b" }));
    assert.deepEqual(a, ["c0", "c2", "c4", "c6"]);
    assert.deepEqual([...a, ...b].sort(), idsOf(data));
  });

  it("is every n-th conversation, of a half too", () => {
    assert.deepEqual(idsOf(select(data, { every: 3 })), ["c0", "c3", "c6"]);
    assert.deepEqual(idsOf(select(data, { share: "dev-b", every: 2 })), ["c1", "c5"]);
  });

  it("is so many questions, evenly spaced, and no more than there are", () => {
    assert.deepEqual(questionsOf(select(data, { limit: 3 })), ["c2q0", "c4q1", "c6q2"]);
    assert.equal(questionsOf(select(data, { limit: 99 })).length, 21);
  });

  it("is a mistake where nothing is left", () => {
    assert.throws(() => select({ ...data, conversations: [] }, {}), usageError(/no question/));
  });
});
