import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { datesNamed } from "../../src/text/dates.js";
import { words } from "../../src/text/words.js";

/** The words of the question that are dates, and which of `days` each of them matches. */
function found(question: string, days: readonly string[] = []) {
  const asked = words(question);
  return Object.fromEntries(
    datesNamed(question, asked).map(({ word, matches }) => [
      asked[word]!.text,
      days.filter((day) => matches(Date.parse(day))),
    ]),
  );
}
const named = (question: string) => Object.keys(found(question)).sort();

describe("datesNamed", () => {
  it("finds years, months and the days beside months", () => {
    const days = ["2023-05-25", "2023-05-26", "2022-05-25", "2023-06-25"];
    assert.deepEqual(found("What did Ana do on 25 May, 2023?", days), {
      "25": ["2023-05-25", "2022-05-25"],
      may: ["2023-05-25", "2023-05-26", "2022-05-25"],
      "2023": ["2023-05-25", "2023-05-26", "2023-06-25"],
    });
    assert.deepEqual(named("on the 3rd of january"), ["3rd", "january"]);
    assert.deepEqual(named("on December 31st, 1999"), ["1999", "31st", "december"]);
    assert.deepEqual(named("in Sept 2022"), ["2022", "sept"]);
  });

  it("takes words that are also months for months only where they must be", () => {
    assert.deepEqual(named("What may she do in march?"), []);
    assert.deepEqual(named("May I ask what Jan and Mar said?"), []);
    assert.deepEqual(named("What happened in May?"), ["may"]);
    assert.deepEqual(named("Who spoke on 4 march?"), ["4", "march"]);
    assert.deepEqual(named("Which 12 books in July?"), ["july"]);
  });

  it("finds ISO dates", () => {
    assert.deepEqual(found("Was geschah am 2023-05-07?", ["2023-05-07", "2023-05-08"]), {
      "2023": ["2023-05-07", "2023-05-08"],
      "05": ["2023-05-07", "2023-05-08"],
      "07": ["2023-05-07"],
    });
    assert.deepEqual(named("room 2023-45-07 and 1-2023-05-07"), ["2023"]);
  });

  it("finds nothing in a question without dates", () => {
    assert.deepEqual(named("How many of the 25 players were there at 10:30?"), []);
    assert.deepEqual(named(""), []);
  });
});
