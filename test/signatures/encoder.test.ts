import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type EncodedText,
  loadEncoder,
  type SignatureEncoder,
} from "../../src/signatures/index.js";
import { words } from "../../src/text/words.js";

/** Bits in which row `i` of `a` and row `j` of `b` differ. */
function distance(a: EncodedText, i: number, b: EncodedText, j: number): number {
  const rowWords = a.signatures.length / a.stems.length;
  let count = 0;
  for (let k = 0; k < rowWords; k++) {
    let x = a.signatures[i * rowWords + k]! ^ b.signatures[j * rowWords + k]!;
    for (; x !== 0n; x &= x - 1n) count++;
  }
  return count;
}

function wordDistance(encoder: SignatureEncoder, a: string, b: string): number {
  return distance(encoder.encode(words(a)), 0, encoder.encode(words(b)), 0);
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, k) => sum + value * b[k]!, 0);
}

describe("the distilled encoder", () => {
  const encoder = loadEncoder("distilled");

  it("gives a row for each content word and says which word it is", () => {
    const found = words("The dog is in the garden");
    const encoded = encoder.encode(found);
    assert.equal(encoded.signatures.length, 2 * 2);
    assert.deepEqual([...encoded.wordOf], [1, 5]);
    assert.equal(encoded.vector?.length, encoder.dimensions);
  });

  it("gives the same rows without the rest", () => {
    for (const text of ["", "The dog is in the garden", "我在北京烤鸭店吃饭 with maxTokens"]) {
      const { signatures, stems, wordOf } = encoder.encode(words(text));
      assert.deepEqual(encoder.encodeRows(words(text)), { signatures, stems, wordOf });
    }
  });

  it("puts words of like meaning close and others far", () => {
    for (const [a, near, far] of [
      ["dog", "puppy", "economy"],
      ["guitar", "guitarist", "vaccine"],
      ["doctor", "physician", "sunset"],
      ["bought", "purchased", "sunset"],
    ] as const) {
      assert.ok(wordDistance(encoder, a, near) <= 42, `${a}, ${near}`);
      assert.ok(wordDistance(encoder, a, far) > 42, `${a}, ${far}`);
    }
  });

  it("gives equal words equal signatures and equal stems", () => {
    assert.equal(wordDistance(encoder, "Zürich", "ZURICH"), 0);
    const [a, b] = [encoder.encode(words("painting")), encoder.encode(words("painted"))];
    assert.equal(a.stems[0], b.stems[0]);
  });

  it("matches words that the vocabulary cannot spell exactly and nothing else", () => {
    const unknown = ["שלום", "привет", "नमस्ते", "👍", "x7f3q", "2024", "c++", "max_tokens", "3.14"];
    for (const a of unknown) {
      for (const b of unknown) {
        const bits = wordDistance(encoder, a, b);
        assert.ok(a === b ? bits === 0 : bits > 42, `${a}, ${b}: ${bits}`);
      }
    }
  });

  it("indexes scripts without spaces by pairs of characters as well", () => {
    const text = encoder.encode(words("我在北京烤鸭店吃饭"));
    const question = encoder.encodeQuery(words("烤鸭"));
    assert.ok([...text.stems].includes(question.stems[0]!));
    // Korean glues its particles to the noun: only the pairs match.
    const korean = encoder.encode(words("학교에서 친구를 만났다"));
    const noun = encoder.encodeQuery(words("학교"));
    assert.ok([...korean.stems].includes(noun.stems[0]!));
    assert.ok([...korean.wordOf].filter((word) => word === 0).length === 4);
  });

  it("joins characters across the words of a run, and not across spaces", () => {
    const joint = encoder.encodeQuery(words("京烤")).stems[1]!;
    assert.ok([...encoder.encode(words("北京烤鸭")).stems].includes(joint));
    assert.ok(![...encoder.encode(words("北京 烤鸭")).stems].includes(joint));
  });

  it("counts each word of a question once", () => {
    const found = words("Which paintings did she paint, and what painting is new?");
    assert.equal(
      encoder.encodeQuery(found).stems.length,
      new Set(encoder.encode(found).stems).size,
    );
  });

  it("gives texts of like meaning close mean vectors of unit length", () => {
    const vector = (text: string) => encoder.encode(words(text)).vector!;
    const trip = vector("We hiked up the mountain last weekend");
    assert.ok(Math.abs(cosine(trip, trip) - 1) < 1e-5);
    const like = cosine(trip, vector("trekking in the hills on Saturday"));
    const unlike = cosine(trip, vector("the bank raised interest rates"));
    assert.ok(like > unlike + 0.2, `${like}, ${unlike}`);
    assert.deepEqual(new Set(vector("and of the")), new Set([0]));
  });

  it("says what each row's vector is made of, and hashes the stem of a word that it cannot cut", () => {
    const found = words("walking 7th 東京都");
    const { pieces, pieceCounts, stems, wordOf } = encoder.encode(found);
    assert.deepEqual([...wordOf], [0, 1, 2, 3, 3]); // 東京, then 京都 and 都
    assert.equal(pieceCounts.length, stems.length);
    assert.ok(pieceCounts[0]! > 0);
    assert.deepEqual([...pieceCounts.subarray(1)], [0, 0, 0, 0]);
    assert.equal(pieces.length, pieceCounts[0]);
    assert.equal(wordDistance(encoder, "7th", "7"), 0);
    const question = encoder.encodeQuery(words("walking running walking 7th"));
    assert.deepEqual([...question.wordOf], [0, 1, 3]);
    assert.deepEqual(question.pieces.slice(0, pieces.length), pieces);
    assert.equal(question.pieceCounts[2], 0);
    assert.deepEqual([...loadEncoder("random-indexing").encode(found).pieces], []);
  });

  it("is the same on every machine", () => {
    // Known answers: a change here makes every stored signature useless.
    const { signatures, stems } = encoder.encode(words("lisbon 東京 2024"));
    assert.deepEqual([...signatures], SIGNATURES);
    assert.deepEqual([...stems], STEMS);
  });

  it("takes 64 and 256 bits, and says what it depends on", () => {
    for (const bits of [64, 256]) {
      const other = loadEncoder("distilled", { bits });
      assert.equal(other.encode(words("dog")).signatures.length, bits / 64);
      assert.notEqual(other.fingerprint, encoder.fingerprint);
    }
    assert.match(encoder.fingerprint, /^distilled:128:[0-9a-f]{64}$/);
  });

  it("accepts no words, and more words than its cache holds", () => {
    assert.equal(encoder.encode([]).stems.length, 0);
    const many = Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(" ");
    const encoded = encoder.encode(words(`garden ${many} garden`));
    assert.equal(distance(encoded, 0, encoded, encoded.stems.length - 1), 0);
  });
});

describe("random indexing", () => {
  it("gives a word in other company another signature, within its window only", () => {
    const encoder = loadEncoder("random-indexing", { window: 1 });
    const [a, b, c] = [
      "red garden gate stone",
      "red garden gate river",
      "old garden gate stone",
    ].map((text) => encoder.encode(words(text)));
    assert.equal(distance(a!, 1, b!, 1), 0);
    assert.notEqual(distance(a!, 2, b!, 2), 0);
    assert.notEqual(distance(a!, 1, c!, 1), 0);
  });

  it("ignores company with a window of 0, and in a question", () => {
    const encoder = loadEncoder("random-indexing", { window: 0 });
    const [a, b] = ["red garden", "garden wall"].map((text) => encoder.encode(words(text)));
    assert.equal(distance(a!, 1, b!, 0), 0);
    const windowed = loadEncoder("random-indexing", { window: 2 });
    assert.equal(distance(windowed.encodeQuery(words("red garden")), 1, a!, 1), 0);
  });

  it("has no mean vector", () => {
    const encoder = loadEncoder("random-indexing");
    assert.equal(encoder.dimensions, 0);
    assert.equal(encoder.encode(words("garden")).vector, undefined);
  });

  it("offers the paper's own rule under its own name", () => {
    const literal = loadEncoder("random-indexing-literal", { bits: 64, window: 0, nonZeros: 10 });
    const encoded = literal.encode(words("garden"));
    let ones = 0;
    for (let x = encoded.signatures[0]!; x !== 0n; x &= x - 1n) ones++;
    assert.equal(ones, 5); // half of the components that are not zero are +1
  });
});

describe("signatures of fewer than 64 bits", () => {
  it("fill the low bits of one word, and begin alike", () => {
    const text = words("red garden gate");
    const full = loadEncoder("random-indexing", { bits: 64 }).encode(text);
    for (const bits of [16, 48, 80]) {
      const encoder = loadEncoder("random-indexing", { bits });
      assert.equal(encoder.bits, bits);
      const { signatures } = encoder.encode(text);
      const rowWords = Math.ceil(bits / 64);
      assert.equal(signatures.length, 3 * rowWords);
      for (let row = 0; row < 3; row++) {
        const low = BigInt.asUintN(Math.min(bits, 64), full.signatures[row]!);
        assert.equal(signatures[row * rowWords], low);
        if (bits > 64) assert.ok(signatures[row * rowWords + 1]! < 1n << BigInt(bits - 64));
      }
    }
    const literal = loadEncoder("random-indexing-literal", { bits: 32 }).encode(text);
    for (const signature of literal.signatures) assert.ok(signature < 1n << 32n);
    assert.throws(() => loadEncoder("distilled", { bits: 32 }), RangeError);
  });
});

describe("encoder options", () => {
  it("refuses what is out of range, naming the option", () => {
    assert.throws(() => loadEncoder("word2vec" as never), TypeError);
    assert.throws(() => loadEncoder("distilled", { bits: 100 }), RangeError);
    for (const options of [
      { bits: 0 },
      { indexDimensions: 64 },
      { nonZeros: 3 },
      { nonZeros: 66 },
      { window: 17 },
      { window: 0.5 },
    ]) {
      assert.throws(() => loadEncoder("random-indexing", options), {
        name: "RangeError",
        message: new RegExp(Object.keys(options)[0]!),
      });
    }
  });
});

const SIGNATURES = [
  16163626906685867415n,
  17078372983876896823n,
  11047881255954419480n,
  3497881389909013931n,
  5918640074701718397n,
  18280715339607818076n,
];
const STEMS = [12088534463245888157n, 16791824994200326197n, 11748456121154257596n];
