import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SpeakerWords } from "../../src/internal/speakers.js";
import { loadEncoder } from "../../src/signatures/encoder.js";
import { words } from "../../src/text/words.js";

const encoder = loadEncoder("distilled");

function namedBy(speakers: SpeakerWords, question: string): [string, number][] {
  const asked = words(question);
  const { speakers: named, speakerCodes } = speakers.namedBy(asked, encoder.encodeQuery(asked));
  return [...named].map((speaker, i) => [speaker, speakerCodes[i]!]);
}

describe("SpeakerWords", () => {
  it("finds speakers by a word of their name, and which code of the question it is", () => {
    const speakers = new SpeakerWords();
    for (const name of ["Ana Silva", "Ben", "Carla Silva", "The Who"]) speakers.add(name);
    assert.equal(speakers.size, 4);
    assert.deepEqual(namedBy(speakers, "Where does ANA live?"), [["Ana Silva", 0]]);
    assert.deepEqual(namedBy(speakers, "Did the Silvas meet Ben?"), [
      ["Ana Silva", 0],
      ["Carla Silva", 0],
      ["Ben", 2],
    ]);
    assert.deepEqual(namedBy(speakers, "Who is the one that lives there?"), []);
  });

  it("takes a word that is in many names for no name", () => {
    const speakers = new SpeakerWords();
    for (let i = 0; i < 100; i++) speakers.add(`user ${i}`);
    assert.deepEqual(namedBy(speakers, "What did user 42 say?"), [["user 42", 1]]);
  });
});
