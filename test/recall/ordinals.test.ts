import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ordinalsNamed } from "../../src/recall/ordinals.js";
import { cpuTimer } from "../lib/cpu-time.js";

/** "12" is a name, "3." a rank, "s" a session. */
function written(question: string): string[] {
  return ordinalsNamed(question).map(({ unit, isName, first, last }) => {
    const range = first === last ? `${first}` : `${first}..${last}`;
    return `${unit === "session" ? "s" : ""}${range}${isName ? "" : "."}`;
  });
}

describe("ordinals in questions", () => {
  const cases: [string, string[]][] = [
    ["What happened at step 12?", ["12"]],
    ["What changed in Step 188's board?", ["188"]],
    ["What does message #7 say?", ["7"]],
    ["Compare steps 3, 5 and 7", ["3", "5", "7"]],
    ["Why did turns 4, 5, 6, 7, and 8 fail?", ["4", "5", "6", "7", "8"]],
    ["between steps 10 and 20", ["10..20"]],
    ["From step 97 to step 104, what changed?", ["97..104"]],
    ["Between step 73 and step 76?", ["73..76"]],
    ["steps 10–17 and 22-25", ["10..17", "22..25"]],
    ["from the second Submit (Step 6) to the third (Step 9)", ["6", "9"]],
    ["the third turn", ["3."]],
    ["the 21st message", ["21."]],
    ["the first user message", ["1."]],
    ["the last message", ["-1."]],
    ["the last two turns", ["-2..-1."]],
    ["the first three steps", ["1..3."]],
    ["the penultimate step", ["-2."]],
    ["What did we say at the beginning?", ["1..3."]],
    ["at the very end of the game", ["-3..-1."]],
    ["What was the initial state of the board?", ["1..3."]],
    ["in the first session", ["s1."]],
    ["session 3", ["s3"]],
    ["the second message of the first session", ["2.", "s1."]],
    ["Schritt 12 bis 14", ["12..14"]],
    ["à l'étape 5", ["5"]],
    ["en el paso 9", ["9"]],
    ["на шаге 7", ["7"]],
    ["第12步", ["12"]],
    ["ステップ3", ["3"]],
  ];
  for (const [question, expected] of cases) {
    it(`finds ${expected.join(", ")} in "${question}"`, () => {
      assert.deepEqual(written(question), expected);
    });
  }

  for (const question of [
    "version 2.10.3, step 2.5",
    "She ran 10 steps",
    "at the end of the month",
    "step by step",
    "In turn, 5 people came",
    "the first time she came",
    "May I march on?",
    "message 50% of them",
    "",
  ]) {
    it(`finds none in "${question}"`, () => assert.deepEqual(written(question), []));
  }

  it("takes time in proportion to the question", () => {
    const cpuMs = cpuTimer();
    for (const unit of ["step 1, ", "first ", "1", " ", "between ", "step ", "at the "]) {
      ordinalsNamed(unit.repeat(20_000));
    }
    assert.ok(cpuMs() < 5000);
  });
});
