import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { isDentateError } from "../../src/errors.js";
import { loadBinding } from "../../src/native/binding.js";
import { loadTokenizer, wellFormed } from "../../src/text/tokenizer.js";

const tokenizer = loadTokenizer();

describe("the tokenizer at its boundary", () => {
  it("gives back any string, and any other with U+FFFD for its lone surrogates", () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 });
    const surrogates = fc.array(fc.integer({ min: 0xd7f0, max: 0xe00f }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(units, surrogates), (codes) => {
        const text = String.fromCharCode(...codes);
        const fixed = wellFormed(text);
        assert.equal(tokenizer.decode(tokenizer.encode(text)), fixed.text);
        assert.equal(fixed.replaced > 0, fixed.text !== text);
        assert.equal(tokenizer.encodeWithOffsets(text).ends.at(-1) ?? 0, text.length);
      }),
      { numRuns: 3000 },
    );
  });

  it("decodes any tokens as a TextDecoder does their bytes", () => {
    const ranks = (
      createRequire(import.meta.url)("gpt-tokenizer/cjs/bpeRanks/o200k_base") as {
        default: readonly (string | readonly number[])[];
      }
    ).default;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const partial = ranks.flatMap((token, id) => (typeof token === "string" ? [] : [id]));
    assert.ok(partial.length > 1000);
    const ids = fc.oneof(
      fc.array(fc.nat(tokenizer.vocabularySize - 1), { maxLength: 30 }),
      fc.array(fc.constantFrom(...partial), { maxLength: 30 }),
    );
    fc.assert(
      fc.property(ids, (tokens) => {
        const bytes = tokens.map((id) => {
          const token = ranks[id]!;
          return typeof token === "string" ? Buffer.from(token) : Uint8Array.from(token);
        });
        const expected = decoder.decode(Buffer.concat(bytes));
        assert.equal(tokenizer.decode(Uint32Array.from(tokens)), expected);
      }),
      { numRuns: 3000 },
    );
  });

  it("reads a view's own part of its memory, shared or not", () => {
    const expected = tokenizer.encode("the tokens in the middle");
    for (const memory of [new ArrayBuffer(400), new SharedArrayBuffer(400)]) {
      const view = new Uint32Array(memory, 40, expected.length);
      view.set(expected);
      assert.equal(tokenizer.decode(view), "the tokens in the middle");
      assert.deepEqual(tokenizer.decodeMany(view, Uint32Array.of(0, 2, 2, expected.length)), [
        "the tokens",
        "",
        " in the middle",
      ]);
    }
  });

  it("refuses tokens that are none and offsets that do not fit them", () => {
    const { vocabularySize } = tokenizer;
    assert.throws(() => tokenizer.decode(Uint32Array.of(1, vocabularySize)), RangeError);
    assert.throws(() => tokenizer.decode(Uint32Array.of(0xffffffff)), RangeError);
    const tokens = Uint32Array.of(1, 2, 3);
    for (const offsets of [
      [0, 4],
      [2, 1],
      [0, 0xffffffff],
    ]) {
      assert.throws(() => tokenizer.decodeMany(tokens, Uint32Array.from(offsets)), RangeError);
    }
    assert.deepEqual(tokenizer.decodeMany(tokens, new Uint32Array()), []);
    assert.deepEqual(tokenizer.decodeMany(tokens, Uint32Array.of(0)), []);
  });

  it("refuses arguments of another type rather than reading them", () => {
    const wrong = [undefined, null, 1, {}, [1], new Uint8Array(4)] as unknown[];
    for (const argument of wrong) {
      const refused = (error: unknown) => isDentateError(error, "DENTATE_INTERNAL");
      assert.throws(() => tokenizer.encode(argument as string), refused);
      assert.throws(() => tokenizer.count(argument as string), refused);
      assert.throws(() => tokenizer.encodeMany([argument as string]), refused);
      assert.throws(() => tokenizer.encodeMany(argument as string[]), refused);
      assert.throws(() => tokenizer.decode(argument as Uint32Array), refused);
      assert.throws(
        () => tokenizer.decodeMany(new Uint32Array(), argument as Uint32Array),
        refused,
      );
    }
  });

  it("takes a text of 40 MB, and gives its buffers back", () => {
    const text = "All work and no play makes Jack a dull boy. ".repeat(1e6);
    const tokens = tokenizer.encode(text);
    assert.equal(tokenizer.decode(tokens), text);
    assert.equal(tokenizer.count("a"), 1);
  });

  it("shares one vocabulary with worker threads, at work at once", async () => {
    const url = new URL("../../src/text/tokenizer.js", import.meta.url).href;
    const source = `
      const { parentPort } = require("node:worker_threads");
      import(${JSON.stringify(url)}).then(({ loadTokenizer }) => {
        const tokenizer = loadTokenizer();
        for (let i = 0; i < 200; i++) {
          const text = "thread " + i + " 字字字 " + "x".repeat(i);
          if (tokenizer.decode(tokenizer.encode(text)) !== text) throw new Error(text);
        }
        parentPort.postMessage(tokenizer.count("the same everywhere"));
      });`;
    assert.equal(loadBinding().Tokenizer.isLoaded(), true);
    const counts = await Promise.all(
      Array.from({ length: 4 }, () => {
        const worker = new Worker(source, { eval: true });
        return new Promise<number>((resolve, reject) => {
          worker.once("message", resolve);
          worker.once("error", reject);
        });
      }),
    );
    assert.deepEqual(counts, Array(4).fill(tokenizer.count("the same everywhere")));
  });

  it("survives a worker that is terminated in the middle of it", async () => {
    const url = new URL("../../src/text/tokenizer.js", import.meta.url).href;
    const source = `
      const { parentPort } = require("node:worker_threads");
      import(${JSON.stringify(url)}).then(({ loadTokenizer }) => {
        const tokenizer = loadTokenizer();
        parentPort.postMessage("ready");
        for (;;) tokenizer.decode(tokenizer.encode("over and over ".repeat(100)));
      });`;
    for (let round = 0; round < 3; round++) {
      const worker = new Worker(source, { eval: true });
      await new Promise((resolve) => worker.once("message", resolve));
      await worker.terminate();
    }
    assert.equal(tokenizer.decode(tokenizer.encode("still here")), "still here");
  });
});
