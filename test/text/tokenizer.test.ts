import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadTokenizer, tokensAt, wellFormed } from "../../src/text/tokenizer.js";

const tokenizer = loadTokenizer();

const TEXTS: Record<string, string> = {
  empty: "",
  English: "Hello, world! It's 2024; we've moved to Lisbon.",
  "a byte order mark": "\ufeffhello\ufeff",
  NUL: "a\0b\0\0c",
  CRLF: "one\r\ntwo\r\n\r\nthree\rfour\n",
  "a family emoji": "👨‍👩‍👧‍👦 and 🏳️‍🌈",
  Hangul: "안녕하세요, 세계! 각",
  Devanagari: "नमस्ते दुनिया क्षत्रिय",
  Arabic: "مرحبا بالعالم، كيف حالك؟",
  Thai: "สวัสดีชาวโลก",
  Chinese: "我在五月搬到了里斯本。",
  Gothic: "𐌲𐌿𐍄𐌹𐍃𐌺 𐍈",
  "private use": "\ue000\uf8ff\u{f0000}\u{10fffd}",
  "unassigned code points": "\u0378\u{e0fff}\u{fffff}",
  "a special token": "<|endoftext|> <|im_start|>",
  code: "function f(x) {\n\treturn x === 0 ? 1 : x * f(x - 1);\n}\n",
};

describe("the tokenizer", () => {
  for (const [what, text] of Object.entries(TEXTS)) {
    it(`gives back ${what} byte for byte`, () => {
      const tokens = tokenizer.encode(text);
      assert.equal(tokenizer.decode(tokens), text);
      assert.equal(tokenizer.count(text), tokens.length);
    });
  }

  it("encodes and decodes many texts as it does one", () => {
    const texts = Object.values(TEXTS);
    const { tokens, offsets } = tokenizer.encodeMany(texts);
    assert.deepEqual(tokenizer.decodeMany(tokens, offsets), texts);
    texts.forEach((text, i) => {
      assert.deepEqual(tokens.slice(offsets[i], offsets[i + 1]), tokenizer.encode(text));
    });
  });

  it("maps a UTF-16 offset to the token its character begins in", () => {
    for (const text of Object.values(TEXTS)) {
      const { tokens, ends } = tokenizer.encodeWithOffsets(text);
      assert.deepEqual(tokens, tokenizer.encode(text));
      const starts: number[] = [];
      for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) {
        starts.push(at);
      }
      const found = tokensAt(ends, Uint32Array.from(starts));
      starts.forEach((start, i) => {
        // The tokens before it hold none of it; with its own, at least its first byte is there.
        const before = tokenizer.decode(tokens.subarray(0, found[i]));
        const through = tokenizer.decode(tokens.subarray(0, found[i]! + 1));
        assert.ok(text.slice(0, start).startsWith(before) || text.startsWith(before));
        assert.ok(before.length <= start && through.length > start);
      });
      assert.equal(ends.at(-1) ?? 0, text.length);
    }
  });

  it("counts the lone surrogates it cannot keep", () => {
    assert.deepEqual(wellFormed("a\ud800b\udc00\ud83d\ude00"), {
      text: "a\ufffdb\ufffd😀",
      replaced: 2,
    });
    assert.deepEqual(wellFormed("😀 fine"), { text: "😀 fine", replaced: 0 });
  });

  it("decodes a slice cut inside a character without touching its neighbours", () => {
    const tokens = tokenizer.encode("𐍈");
    assert.ok(tokens.length > 1);
    assert.match(tokenizer.decode(tokens.subarray(0, 1)), /^\ufffd+$/);
    assert.equal(tokenizer.decode(tokens), "𐍈");
  });

  // The merge as it is defined takes 25 s for 60,000 Chinese characters.
  for (const unit of [
    "a",
    "A",
    " ",
    "\t",
    "\n",
    "字",
    "ก",
    "😀",
    "=",
    "/",
    "7",
    "é",
    "\u0301",
    "=字",
  ]) {
    it(`encodes 100,000 times ${JSON.stringify(unit)} in bounded time`, { timeout: 20_000 }, () => {
      const text = unit.repeat(100_000);
      assert.equal(tokenizer.decode(tokenizer.encode(text)), text);
    });
  }
});
