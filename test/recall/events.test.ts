import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventsNamed } from "../../src/recall/events.js";
import { cpuTimer } from "../lib/cpu-time.js";

describe("events in questions", () => {
  const cases: [string, string][] = [
    ["Where did she live before the move?", "before: the move"],
    ["How did Ana feel after her accident, and why?", "after: her accident"],
    ["What did they eat during Ben's party?", "during: Ben's party"],
    ["Who was he before meeting Maria?", "before: meeting Maria"],
    ["What changed since the new job was offered?", "after: the new job"],
    ["Was geschah nach dem Umzug?", "after: dem Umzug"],
    ["Où habitait-elle avant le déménagement ?", "before: le déménagement"],
    ["¿Qué hizo después de la boda?", "after: la boda"],
    ["Cosa ha fatto dopo il viaggio?", "after: il viaggio"],
  ];
  for (const [question, expected] of cases) {
    it(`finds "${expected}" in "${question}"`, () => {
      const [found] = eventsNamed(question);
      assert.equal(`${found?.side}: ${found?.event}`, expected);
    });
  }

  for (const question of [
    "What did she do before she left?",
    "And since then?",
    "What did she do before the weekend?",
    "before August 3, 2023",
    "Who came after whom?",
    "",
  ]) {
    it(`finds none in "${question}"`, () => assert.deepEqual(eventsNamed(question), []));
  }

  it("takes time in proportion to the question", () => {
    const cpuMs = cpuTimer();
    for (const unit of ["after the ", "before ", "a b ", "after x-", "after the a "]) {
      eventsNamed(unit.repeat(20_000));
    }
    assert.ok(cpuMs() < 2000);
  });
});
