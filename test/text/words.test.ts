import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { words } from "../../src/text/words.js";
import { cpuTimer } from "../lib/cpu-time.js";

const texts = (input: string) => words(input).map((word) => word.text);
const content = (input: string) =>
  words(input)
    .filter((word) => !word.stop)
    .map((word) => word.stem);

describe("words", () => {
  it("gives folded words, stems, stop words and offsets in the original", () => {
    assert.deepEqual(words("The Cafés closed"), [
      { text: "the", stem: "the", start: 0, end: 3, stop: true },
      { text: "cafes", stem: "cafe", start: 4, end: 9, stop: false },
      { text: "closed", stem: "close", start: 10, end: 16, stop: false },
    ]);
  });

  it("gives the same stem to the forms of an English word", () => {
    assert.deepEqual(content("painting painted paints"), ["paint", "paint", "paint"]);
    assert.deepEqual(content("on the 7th"), content("7"));
  });

  it("drops English endings after an apostrophe", () => {
    assert.deepEqual(content("Caroline's dog, Ana’s cat"), ["carolin", "dog", "ana", "cat"]);
    assert.deepEqual(content("I don't think she'll"), ["think"]);
    assert.deepEqual(texts("O'Brien"), ["o", "brien"]);
    assert.deepEqual(texts("'quoted'"), ["quoted"]);
  });

  it("joins an accent written as its own character", () => {
    assert.deepEqual(texts("nai\u0308ve naïve"), ["naive", "naive"]);
    assert.deepEqual(words("cafe\u0301!")[0], {
      text: "cafe",
      stem: "cafe",
      start: 0,
      end: 5,
      stop: false,
    });
  });

  it("keeps numbers whole", () => {
    assert.deepEqual(texts("1,000 3.14 10:30 1,2 v2 192.168.0.1 5."), [
      "1000",
      "3.14",
      "10",
      "30",
      "1",
      "2",
      "v2",
      "192.168.0.1",
      "5",
    ]);
  });

  it("gives identifiers whole and in parts", () => {
    assert.deepEqual(texts("maxTokens"), ["maxtokens", "max", "tokens"]);
    assert.deepEqual(texts("HTTPServer PCs"), ["httpserver", "http", "server", "pcs"]);
    assert.deepEqual(texts("__init_subclass__ _x"), ["init_subclass", "init", "subclass", "x"]);
    assert.deepEqual(texts("MAX_VALUE"), ["max_value", "max", "value"]);
    assert.deepEqual(texts("C++ and C# a+b"), ["c++", "and", "c#", "a", "b"]);
    const [whole, first, second] = words("x = getName()").slice(1);
    assert.deepEqual(
      [whole, first, second].map((word) => [word?.start, word?.end]),
      [
        [4, 11],
        [4, 7],
        [7, 11],
      ],
    );
  });

  it("gives dotted names and hosts whole and in parts", () => {
    assert.deepEqual(texts("edit config.yaml."), ["edit", "config.yaml", "config", "yaml"]);
    assert.deepEqual(texts("https://docs.example.com/a/page?x=1"), [
      "https",
      "docs.example.com",
      "docs",
      "example",
      "com",
      "a",
      "page",
      "x",
      "1",
    ]);
    assert.deepEqual(texts("It was great.Then e.g. we left"), [
      "it",
      "was",
      "great",
      "then",
      "e",
      "g",
      "we",
      "left",
    ]);
  });

  it("segments Chinese, Japanese and Thai", () => {
    assert.deepEqual(texts("我喜欢北京烤鸭。"), ["我", "喜欢", "北京", "烤鸭"]);
    assert.ok(texts("東京に行きました").includes("東京"));
    assert.ok(texts("ฉันรักภาษาไทย").includes("ภาษา"));
    assert.deepEqual(texts("iPhoneを買った").slice(0, 3), ["iphone", "i", "phone"]);
    for (const word of words("2023年に東京へ")) assert.ok(word.end > word.start);
  });

  it("keeps the words of Korean, Arabic, Hindi, Hebrew, Russian and Greek whole", () => {
    assert.deepEqual(texts("서울에 갔어요"), ["서울에", "갔어요"]);
    assert.deepEqual(texts("ذَهَبَ إلى المدرسة"), ["ذهب", "الى", "المدرسة"]);
    assert.deepEqual(texts("हिन्दी में लिखा"), ["हिन्दी", "में", "लिखा"]);
    assert.deepEqual(texts("שָׁלוֹם"), ["שלום"]);
    assert.deepEqual(texts("Москва ΟΔΟΣ"), ["москва", "οδοσ"]);
    assert.deepEqual(texts("Straße ＡＢＣ"), ["strasse", "abc"]);
  });

  it("takes an emoji as a word, whatever its skin tone", () => {
    assert.deepEqual(texts("ok👍🏽👍 ❤️ 👩‍👩‍👧 🇵🇹"), ["ok", "👍", "👍", "❤", "👩‍👩‍👧", "🇵🇹"]);
    const word = words("a👍🏽b")[1];
    assert.deepEqual([word?.start, word?.end], [1, 5]);
  });

  it("accepts lone surrogates, marks and nothing at all", () => {
    assert.deepEqual(texts(""), []);
    assert.deepEqual(texts(" \ud83d \udc00 \u0301 \u200d _ __ . ' "), []);
    assert.deepEqual(texts("a\ud800b"), ["a", "b"]);
    assert.deepEqual(texts("𝐁old 𠮷野家").slice(0, 1), ["bold"]);
  });

  it("takes time linear in long runs of any kind", () => {
    const pieces = ["a", "A", "aB", "_", "a_", ".a", "a.", "1", "1,", "1.", "'", "汉", "ก", "👍"];
    pieces.push("\u0301", "e\u0301", "\ud83d", "가", "क्", "x'", "\u200d", "👩‍", "🇵", "𝐁");
    for (const piece of pieces) {
      const run = piece.repeat(Math.ceil(100_000 / piece.length));
      const cpuMs = cpuTimer();
      const found = words(run);
      const elapsed = cpuMs();
      // Quadratic time would be minutes; the bound only has to be far from both.
      assert.ok(elapsed < 5000, `${JSON.stringify(piece)} took ${elapsed} ms`);
      for (const word of found) assert.ok(word.end - word.start <= 1000 && word.text.length > 0);
    }
  });

  it("gives offsets that slice the text to the word's surface", () => {
    const input = "Ana’s naïve getName() visited 東京 at 10.5 km 👍🏽, don't";
    let last = 0;
    for (const { text, start, end } of words(input)) {
      assert.ok(start >= last && end > start && end <= input.length);
      last = start;
      assert.ok(input.slice(start, end).length >= text.length - 1);
    }
  });
});
