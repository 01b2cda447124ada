import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stripRecalled } from "../../src/pack/strip-recalled.js";
import { escapeContent, linePrefix, nameInText } from "../../src/pack/text.js";
import { eventsNamed } from "../../src/recall/events.js";
import { ordinalsNamed } from "../../src/recall/ordinals.js";
import { timesNamed } from "../../src/recall/time.js";
import { datesNamed } from "../../src/text/dates.js";
import { words } from "../../src/text/words.js";

/**
 * Texts made to have a pattern try all ways to match. A pattern that is linear goes through one in a
 * few milliseconds of a processor; one that is not needs minutes.
 */
const LENGTH = 200_000;
const MOST_MICROSECONDS = 10_000_000;
const BEGINNINGS = [
  "",
  "step 1",
  "second message",
  "first step",
  "step 1 to",
  "last of",
  "between the",
  "at the end of the",
  "from May 5 to",
  "since",
  "after Ana",
  "<",
  "</",
  "[",
  "[2026",
];
const FILLINGS = [
  " ",
  "\n",
  "\u200b",
  "1",
  "a",
  "é",
  "\\",
  "May ",
  "step 1 ",
  "session 1 ",
  "between step 1 ",
  "last message ",
  "第1步",
  "at the end ",
  "to 1 ",
  "\n<recalled>",
  "<recalled>\n",
  "\n[",
  "\nAna",
  "\nAna:",
  ".a",
  ",111",
];
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "what a question says of places": ordinalsNamed,
  "what it says of events": (text) => [...eventsNamed(text)],
  "what it says of times": (text) => timesNamed(text, 0, () => false),
  "what a transcript has of recalls": stripRecalled,
  "a content": (text) => escapeContent(text, new Set(["ana"])),
  "a label": (text) => linePrefix(text),
  "a name": (text) => nameInText(text),
};

describe("a text that was made to be slow", () => {
  for (const [name, read] of Object.entries(readers)) {
    it(`is read as fast as any other: ${name}`, async () => {
      for (const beginning of BEGINNINGS) {
        for (const filling of FILLINGS) {
          const before = process.cpuUsage();
          await read(beginning + filling.repeat(LENGTH / filling.length));
          const { user } = process.cpuUsage(before);
          assert.ok(user < MOST_MICROSECONDS, JSON.stringify([beginning, filling]));
        }
      }
    });
  }

  it("is read as fast as any other: dates", () => {
    const text = "may I, May ".repeat(LENGTH / 11);
    const asked = words(text);
    const before = process.cpuUsage();
    assert.ok(datesNamed(text, asked).length > 0);
    assert.ok(process.cpuUsage(before).user < MOST_MICROSECONDS);
  });
});
