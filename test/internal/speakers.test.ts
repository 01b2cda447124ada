import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SpeakerWords } from "../../src/internal/speakers.js";
import { loadEncoder } from "../../src/signatures/encoder.js";
import { words } from "../../src/text/words.js";

const encoder = loadEncoder("distilled");

function namedBy(speakers: SpeakerWords, question: string): [number, number][] {
  const asked = words(question);
  const { speakers: named, speakerCodes } = speakers.namedBy(asked, encoder.encodeQuery(asked));
  return [...named].map((speaker, i) => [speaker, speakerCodes[i]!]);
}

describe("SpeakerWords", () => {
  it("finds speakers by a word of their name, and which code of the question it is", () => {
    const speakers = new SpeakerWords();
    for (const [i, name] of ["Ana Silva", "Ben", "Carla Silva", "The Who"].entries()) {
      speakers.add(name, i);
    }
    assert.deepEqual(namedBy(speakers, "Where does ANA live?"), [[0, 0]]);
    assert.deepEqual(namedBy(speakers, "Did the Silvas meet Ben?"), [
      [0, 0],
      [2, 0],
      [1, 2],
    ]);
    assert.deepEqual(namedBy(speakers, "Who is the one that lives there?"), []);
  });

  it("takes a word that is in many names for no name", () => {
    const speakers = new SpeakerWords();
    for (let i = 0; i < 100; i++) speakers.add(`user ${i}`, i);
    assert.deepEqual(namedBy(speakers, "What did user 42 say?"), [[42, 1]]);
  });
});
