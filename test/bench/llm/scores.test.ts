import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LanguageModel, Prompt } from "../../../bench/llm/client.js";
import { judged } from "../../../bench/llm/judged.js";
import { bleu1, f1, listF1, locomoF1, normalised } from "../../../bench/llm/phrase-scores.js";

describe("the scores of phrases", () => {
  it("normalise as LoCoMo's evaluation does", () => {
    assert.deepEqual(normalised("The dogs, and 1,000 Cats' running!"), [
      "dog",
      "1000",
      "cat",
      "run",
    ]);
    assert.deepEqual(normalised("an Andes theatre"), ["and", "theatr"]);
  });

  it("count words that both have, as often as both have them", () => {
    assert.equal(f1("7 May 2023", "7 may, 2023."), 1);
    assert.equal(f1("in May", "May 2023"), 0.5);
    assert.equal(f1("May May", "May"), 2 / 3);
    assert.equal(f1("", "May"), 0);
    assert.equal(f1("June", "May"), 0);
  });

  it("follow the categories", () => {
    assert.equal(listF1("pottery, hiking", "hiking, pottery, painting"), 2 / 3);
    assert.equal(locomoF1("pottery", "pottery, hiking", "multi-hop"), 0.5);
    assert.equal(locomoF1("yes", "yes; since she said so", "open-domain"), 1);
    assert.equal(locomoF1("It is not mentioned.", "anything", "adversarial"), 1);
    assert.equal(locomoF1("a red one", "a red one", "adversarial"), 0);
  });

  it("penalise a short answer in BLEU-1, and a long one by its own words", () => {
    assert.equal(bleu1("a red kite", "a red kite"), 1);
    assert.equal(bleu1("a red kite flew", "a red kite"), 0.75);
    assert.equal(bleu1("red", "a red kite"), Math.exp(-2));
    assert.equal(bleu1("", "x"), 0);
  });
});

/** Answers in turn, and keeps what it was asked. */
function scripted(...answers: string[]): LanguageModel & { readonly prompts: Prompt[] } {
  const prompts: Prompt[] = [];
  return {
    name: "scripted",
    prompts,
    async complete(prompt) {
      prompts.push(prompt);
      return answers[prompts.length - 1] ?? assert.fail("asked too often");
    },
  };
}

const question = (answer?: string) => ({
  id: "q",
  question: "What flew?",
  at: undefined,
  category: "single-hop",
  ...(answer === undefined ? {} : { answer }),
});

describe("a model that reads and judges", () => {
  it("answers from the packed text, and is graded", async () => {
    const model = scripted("a kite", "Grade: 4");
    const scores = await judged(model, "phrases", question("a red kite"), "A kite flew.", "50");
    assert.match(model.prompts[0]?.user ?? "", /A kite flew\./);
    assert.match(model.prompts[1]?.user ?? "", /Gold answer: a red kite\nAnswer: a kite/);
    assert.deepEqual(
      scores.map(({ metric }) => metric),
      ["llm-f1@50", "llm-bleu1@50", "llm-judge@50"],
    );
    assert.equal(scores[2]?.value, 4);
  });

  it("says yes or no of statements, and asks once more where it said neither", async () => {
    const yes = await judged(scripted("it flew", "Yes."), "statements", question("x"), "", "9");
    assert.deepEqual(yes, [{ metric: "llm-yes@9", value: 100, unit: "%" }]);
    const no = scripted("it flew", "hm", "no");
    assert.equal((await judged(no, "statements", question("x"), "", "9"))[0]?.value, 0);
    const neither = scripted("it flew", "hm", "perhaps");
    assert.deepEqual(await judged(neither, "statements", question("x"), "", "9"), [
      { metric: "llm-unreadable@9", value: 100, unit: "%" },
    ]);
  });

  it("has nothing to say where there is no gold answer", async () => {
    assert.deepEqual(await judged(scripted(), "phrases", question(), "", "9"), []);
  });
});
