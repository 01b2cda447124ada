import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { get_encoding } from "tiktoken";
import { loadTokenizer } from "../../src/text/tokenizer.js";

// Ids are what is stored, so they must be exactly those of o200k_base. tiktoken is the definition;
// gpt-tokenizer differs from it where JavaScript's \s does (U+0085, U+FEFF).
const require = createRequire(import.meta.url);
const tiktoken = get_encoding("o200k_base");
const gptTokenizer = require("gpt-tokenizer/cjs/encoding/o200k_base") as {
  encode(text: string, options: { disallowedSpecial: Set<string> }): number[];
};
const tokenizer = loadTokenizer();

function assertSameIds(text: string, what = JSON.stringify(text)): void {
  const expected = tiktoken.encode_ordinary(text);
  const actual = tokenizer.encode(text);
  if (Buffer.compare(Buffer.from(expected.buffer), Buffer.from(actual.buffer)) === 0) return;
  const at = expected.findIndex((id, i) => id !== actual[i]);
  const before = tokenizer.decode(expected.subarray(Math.max(0, at - 5), at + 5));
  assert.fail(`${what}: other ids from token ${at}, near ${JSON.stringify(before)}`);
}

/** A linear congruential generator, so that a failure repeats. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const SCRIPTS: readonly (readonly [number, number])[] = [
  [0x20, 0x7e],
  [0x61, 0x7a],
  [0x41, 0x5a],
  [0x30, 0x39],
  [0xa0, 0x24f],
  [0x300, 0x36f],
  [0x370, 0x3ff],
  [0x400, 0x4ff],
  [0x590, 0x6ff],
  [0x900, 0x97f],
  [0xe00, 0xe7f],
  [0x1100, 0x11ff],
  [0x1c80, 0x1cbf],
  [0x2000, 0x206f],
  [0x2150, 0x218f],
  [0x3040, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xe000, 0xe0ff],
  [0xfe00, 0xfeff],
  [0x10330, 0x1034f],
  [0x1f300, 0x1f6ff],
];

describe("the ids of o200k_base", () => {
  after(() => tiktoken.free());

  it("are tiktoken's for each code point, in each place the pattern can put it", () => {
    const places: readonly ((c: string) => string)[] = [
      (c) => `a${c}a `,
      (c) => `A${c}b1`,
      (c) => ` ${c}\n`,
      (c) => `!${c}${c}X`,
      (c) => `${c}'s  ${c}`,
    ];
    for (const place of places) {
      for (let block = 0; block <= 0xe0000; block += 0x400) {
        if (block >= 0xd800 && block < 0xe000) continue; // surrogates
        if (block >= 0x33800 && block < 0xe0000) continue; // unassigned
        let text = "";
        for (let i = 0; i < 0x400; i++) text += place(String.fromCodePoint(block + i));
        assertSameIds(text, `U+${block.toString(16)} and on in ${place("_")}`);
      }
    }
  });

  it("are tiktoken's for any string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => assertSameIds(text)),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => assertSameIds(text)),
      { numRuns: 1000 },
    );
  });

  it("are tiktoken's for any mixture of what the pattern tells apart", () => {
    const part = fc.constantFrom(
      ..."aZ1 \t\n\r/'.!_字ǅʰ́ſ²Ⅷ\u0085\u00a0\u2028\u3000\ufeff\u200d\0😀",
      ..."'s 'LL 'rE \r\n    // <|endoftext|> don't HTTPServer".split(" "),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => assertSameIds(parts.join(""))),
      { numRuns: 5000 },
    );
  });

  it("are tiktoken's for 1.5 MB of mixed scripts", () => {
    const seed = 20261129;
    const random = randomNumbers(seed);
    let text = "";
    let bytes = 0;
    while (bytes < 1.5e6) {
      const [first, last] = SCRIPTS[random(SCRIPTS.length)]!;
      let run = "";
      const length = 1 + random(20);
      for (let i = 0; i < length; i++)
        run += String.fromCodePoint(first + random(last - first + 1));
      run += ["", " ", "  ", "\n", ". ", "\r\n\r\n"][random(6)];
      bytes += Buffer.byteLength(run);
      text += run;
    }
    assertSameIds(text, `seed ${seed}`);
    assert.equal(tokenizer.decode(tokenizer.encode(text)), text);
  });

  it("are tiktoken's for runs without a break", () => {
    for (const unit of [
      "a",
      "aB",
      "abc",
      " ",
      "\t ",
      "\n",
      "字",
      "漢字",
      "ไทย",
      "😀",
      "=",
      "/",
      "é",
    ]) {
      for (const count of [47, 48, 49, 50, 100, 129, 500, 1500]) {
        assertSameIds(unit.repeat(count), `${count} times ${unit}`);
        assertSameIds(`x ${unit.repeat(count)} y`, `${count} times ${unit} between words`);
      }
    }
  });

  // Real prose in 13 languages: the translations that TypeScript brings.
  for (const language of "cs de es fr it ja ko pl pt-br ru tr zh-cn zh-tw".split(" ")) {
    it(`are tiktoken's and gpt-tokenizer's for prose in ${language}`, () => assertProse(language));
  }

  it("are tiktoken's and gpt-tokenizer's for code", () => {
    const code = readFileSync(require.resolve("typescript"), "utf8").slice(0, 500_000);
    assertSameIds(code, "code");
    assert.deepEqual([...tokenizer.encode(code)], encodeWithGptTokenizer(code));
  });
});

function encodeWithGptTokenizer(text: string): number[] {
  return gptTokenizer.encode(text, { disallowedSpecial: new Set() });
}

function assertProse(language: string): void {
  const path = require.resolve(`typescript/lib/${language}/diagnosticMessages.generated.json`);
  const messages = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
  const prose = Object.values(messages).join("\n");
  assert.ok(prose.length > 50_000);
  assertSameIds(prose, language);
  assert.deepEqual([...tokenizer.encode(prose)], encodeWithGptTokenizer(prose));
  assert.equal(tokenizer.decode(tokenizer.encode(prose)), prose);
}
