import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { vocabulary } from "../../bench/memory/vocabulary.js";
import { loadBinding } from "../../src/native/binding.js";
import type { EncodedColumns } from "../../src/native/turn-encoder-binding.js";
import {
  type EncoderName,
  joinWords,
  loadEncoder,
  nativeArguments,
} from "../../src/signatures/encoder.js";
import { kindOf, SEPARATOR } from "../../src/text/character-kinds.js";
import { isPlain } from "../../src/text/plain-text.js";
import { STOP_WORDS } from "../../src/text/stop-words.js";
import { loadTokenizer, tokensAt } from "../../src/text/tokenizer.js";
import { words } from "../../src/text/words.js";

const tokenizer = loadTokenizer();

/** What native code makes of texts whose words it cuts itself, and of the same words given to it. */
function comparerOf(name: EncoderName, window?: number): (texts: readonly string[]) => void {
  const options = { bits: 128, ...(window !== undefined && { window }) };
  const signatures = loadEncoder(name, options);
  const { TurnEncoder, TurnList } = loadBinding();
  const native = new TurnEncoder(...nativeArguments(name, options));
  const encode = (texts: readonly string[], isGiven: boolean): EncodedColumns => {
    const list = new TurnList();
    native.encode(
      list,
      texts,
      texts.map((text) => {
        if (!isGiven) return undefined;
        const found = words(text);
        return {
          joined: joinWords(found),
          starts: Uint32Array.from(found, ({ start }) => start),
        };
      }),
    );
    return list.read();
  };
  return (texts) => {
    const plain = encode(texts, false);
    assert.deepEqual(plain, encode(texts, true), JSON.stringify(texts));
    if (texts.length !== 1) return;
    // And what TypeScript makes of them.
    const { tokens, ends } = tokenizer.encodeWithOffsets(texts[0]!);
    const found = words(texts[0]!);
    const encoded = signatures.encode(found);
    const starts = encoded.wordOf.map((word) => found[word]!.start);
    assert.deepEqual(plain, {
      tokens,
      tokenCounts: Uint32Array.of(tokens.length),
      codeTokens: tokensAt(ends, starts),
      codeCounts: Uint32Array.of(encoded.stems.length),
      signatures: encoded.signatures.slice(),
      stems: encoded.stems.slice(),
      pieces: encoded.pieces.slice(),
      pieceCounts: encoded.pieceCounts.slice(),
    });
  };
}

const separators =
  "\u00a0\u00a3\u00ab\u00b0\u00b7\u00bb\u00d7\u2010\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\u20ac\u2192\u2212";
const fragments = [
  ..."abcdestxyzABCDST0123456789_._-,'\u2019+# \n\t.",
  ...separators,
  "'s",
  "n't",
  "'ll",
  "'RE",
  "don't",
  "\u2019ve",
  "1,000",
  ".5",
  "st",
  "th",
  "ing",
  "ed",
  "C++",
  "F#",
  "maxTokens",
  "HTTPServer",
  "snake_case",
  "config.yaml",
  "v1.2.3",
  "e.g.",
  "__",
  "a.b",
  "x".repeat(40),
  "1".repeat(22),
]; // prettier-ignore
const written = fc
  .array(fc.constantFrom(...fragments), { maxLength: 30 })
  .map((parts) => parts.join(""));
const ascii = fc.string({ unit: "binary-ascii", maxLength: 200 });

describe("the words of plain text", () => {
  const compare = comparerOf("distilled");

  it("are only separated by what is plain and not ASCII", () => {
    for (let code = 0; code < 0x10000; code++) {
      const character = String.fromCharCode(code);
      if (code >= 0x80 && isPlain(character)) assert.equal(kindOf(code), SEPARATOR, character);
      assert.equal(isPlain(`a${character}b`), isPlain(character));
    }
    assert.ok(isPlain(separators) && !isPlain("caf\u00e9") && !isPlain("\ud83d\ude00"));
  });

  it("are those of words.ts, for every plain character beside another", () => {
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const plain = all.filter(isPlain);
    for (const a of plain) compare(plain.map((b) => `x ${a}${b} Ab${a}${b}c.d 12${a}${b}3`));
  });

  it("are those of words.ts, for all words that the encoder knows", () => {
    const known = [...vocabulary(), ...STOP_WORDS];
    const endings = ["", "s", "ed", "ing", "ly", "'s", "ization", "fulness", "ies", "eed", "y"];
    for (const ending of endings) compare(known.map((word) => `${word}${ending}`));
    compare(known.map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`));
  });

  it("are those of words.ts, for letters at random", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."aeiouylstbdnrzcmvw"), maxLength: 12 });
    fc.assert(fc.property(fc.array(letters, { maxLength: 40 }), compare), { numRuns: 500 });
  });

  it("are those of words.ts, for what people write and for noise", () => {
    fc.assert(
      fc.property(written, (text) => compare([text])),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(ascii, (text) => compare([text])),
      { numRuns: 1000 },
    );
  });

  it("are those of words.ts, in any window and with every encoder", () => {
    for (const [name, window] of [
      ["random-indexing", 1],
      ["random-indexing", 0],
      ["random-indexing-literal", 2],
    ] as const) {
      const compareWith = comparerOf(name, window);
      fc.assert(
        fc.property(written, (text) => compareWith([text])),
        { numRuns: 200 },
      );
    }
  });

  it("are refused by native code where text is not plain", () => {
    const { TurnEncoder, TurnList } = loadBinding();
    const native = new TurnEncoder(...nativeArguments("distilled", {}));
    for (const text of ["caf\u00e9", "\u6f22", "\ud83d\ude00", "\u00a9"]) {
      assert.throws(() => native.encode(new TurnList(), [text], [undefined]), /plain/);
    }
  });
});
