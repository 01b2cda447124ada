import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TextSource } from "../../../bench/memory/text.js";

const VOCABULARY = Array.from({ length: 500 }, (_, i) => `word${i}`);

function turns(seed: number, count: number): string[] {
  const source = new TextSource(seed, VOCABULARY);
  return Array.from({ length: count }, () => source.turn().content);
}

describe("the text of the memory bench", () => {
  it("is the same for the same seed, and differs between seeds", () => {
    assert.deepEqual(turns(1, 20), turns(1, 20));
    assert.notDeepEqual(turns(1, 20), turns(2, 20));
  });

  it("never repeats a turn or a question", () => {
    assert.equal(new Set(turns(3, 5000)).size, 5000);
    const source = new TextSource(3, VOCABULARY);
    for (let i = 0; i < 100; i++) source.turn();
    const questions = Array.from({ length: 2000 }, () => source.question(8, 12));
    assert.ok(new Set(questions).size > 1990);
    for (const question of questions) {
      const words = question.split(" ").length;
      assert.ok(words >= 8 && words <= 13, question);
    }
  });

  it("uses frequent words more often, and rare ones too", () => {
    const words = turns(4, 5000)
      .join(" ")
      .toLowerCase()
      .match(/word\d+/g)!;
    const count = (word: string) => words.filter((other) => other === word).length;
    assert.ok(count("word0") > 5 * count("word200"));
    assert.ok(new Set(words).size > 490);
  });

  it("makes sessions of 40 turns by two speakers, later and later", () => {
    const source = new TextSource(5, VOCABULARY);
    const all = Array.from({ length: 90 }, () => source.turn());
    assert.deepEqual(
      [...new Set(all.map(({ session }) => session))],
      ["session-1", "session-2", "session-3"],
    );
    assert.equal(new Set(all.map(({ speaker }) => speaker)).size, 2);
    for (let i = 1; i < all.length; i++) assert.ok(Number(all[i]!.at) > Number(all[i - 1]!.at));
  });
});
