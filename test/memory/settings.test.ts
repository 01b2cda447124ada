import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDentateError } from "../../src/errors.js";
import { chooseEncoder, encoderOfStore, fingerprintOf, settingsOf } from "../../src/settings.js";
import { ENCODERS, loadEncoder } from "../../src/signatures/encoder.js";

const given = { encoder: undefined, encoderOptions: {} } as const;
const isMismatch = (naming: RegExp) => (error: unknown) =>
  isDentateError(error, "DENTATE_MISMATCH") && naming.test(error.message);

describe("settings", () => {
  it("name the encoder as it names itself", () => {
    for (const name of ENCODERS) {
      const choice = chooseEncoder(name, { bits: 64 });
      const { fingerprint } = loadEncoder(choice.encoder, choice.encoderOptions);
      assert.equal(fingerprintOf(choice), fingerprint);
    }
  });

  it("tell which encoder a store was made with", () => {
    for (const choice of [
      chooseEncoder("distilled", { bits: 256 }),
      chooseEncoder("random-indexing", { bits: 48, window: 0, nonZeros: 4 }),
      chooseEncoder("random-indexing-literal", { indexDimensions: 300 }),
    ]) {
      const stored = settingsOf(choice);
      assert.deepEqual(encoderOfStore("./d", stored, given), choice);
      const { encoder, encoderOptions } = choice;
      assert.deepEqual(encoderOfStore("./d", stored, { encoder, encoderOptions }), choice);
      assert.deepEqual(encoderOfStore("./d", stored, { ...given, encoder }), choice);
    }
  });

  it("are refused where they are others, and both are named", () => {
    const stored = settingsOf(chooseEncoder("distilled", { bits: 64 }));
    const other = { encoder: undefined, encoderOptions: { bits: 128 } };
    assert.throws(
      () => encoderOfStore("./d", stored, other),
      isMismatch(/'distilled:64:.*'distilled:128:/),
    );
    const literal = { encoder: "random-indexing-literal", encoderOptions: {} } as const;
    assert.throws(
      () => encoderOfStore("./d", stored, literal),
      isMismatch(/'distilled:64:.*'random-indexing-literal:128:1024:10:1'/),
    );
    for (const [name, value] of [
      ["tokenizer", "cl100k_base:0"],
      ["encoder", "distilled:64:0000"],
      ["encoder", "of a later version"],
      ["stemmer", "snowball:2"],
      ["words", "2"],
    ] as const) {
      assert.throws(
        () => encoderOfStore("./d", { ...stored, [name]: value }, given),
        isMismatch(new RegExp(`${name} '${value}', not '`)),
      );
    }
  });
});
