import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isDentateError } from "../../src/errors.js";
import { type AppendBatch, type NativeBank, NONE } from "../../src/native/bank-binding.js";
import { loadBinding } from "../../src/native/binding.js";
import {
  batchOf,
  type ModelEntry,
  type ModelQuery,
  naiveSearch,
  naiveSearchAll,
  queryOf,
} from "./bank-model.js";

const BITS = 64;
const DIMENSIONS = 5;

// Few words with close signatures and shared stems, so that balls overlap.
const code = fc.record({
  signature: fc.integer({ min: 0, max: 63 }).map((v) => BigInt(v) * 0x0101010101010101n),
  stem: fc.bigInt({ min: 0n, max: 7n }),
});
// -1, 0 and 1 are exact in the bank's int8, so scores differ by rounding alone.
const NO_VECTOR = Array.from({ length: DIMENSIONS }, () => 0);
const vector = fc.oneof(
  fc.constant(NO_VECTOR),
  fc.array(fc.integer({ min: -1, max: 1 }), {
    minLength: DIMENSIONS,
    maxLength: DIMENSIONS,
  }),
);
const entry: fc.Arbitrary<ModelEntry> = fc
  .record({
    tokens: fc.array(fc.integer({ min: 0, max: 200_018 }), { maxLength: 12 }),
    codes: fc.array(fc.record({ at: fc.nat(11), code }), { maxLength: 6 }),
    session: fc.nat(2),
    speaker: fc.oneof(fc.constant(NONE), fc.nat(2)),
    vector,
    metadata: fc.uint8Array({ maxLength: 20 }),
  })
  .map(({ codes, ...rest }) => ({
    ...rest,
    codes: codes
      .filter(({ at }) => at < rest.tokens.length)
      .sort((a, b) => a.at - b.at)
      .map(({ at, code: { signature, stem } }) => ({ token: at, signature, stem })),
  }));
const batches = fc.array(fc.array(entry, { maxLength: 4 }), { maxLength: 8 });
const query: fc.Arbitrary<ModelQuery> = fc.record({
  codes: fc.array(fc.record({ code, word: fc.nat(3) }), { maxLength: 5 }),
  vector: fc.option(vector, { nil: undefined }),
  radius: fc.nat(40),
  limit: fc.nat(30),
  speakers: fc.array(fc.record({ speaker: fc.nat(3), code: fc.nat(5) }), { maxLength: 3 }),
  marks: fc.array(
    fc
      .record({ code: fc.nat(5), from: fc.nat(10), count: fc.nat(10) })
      .map(({ code, from, count }) => ({ code, from, to: from + count })),
    { maxLength: 2 },
  ),
  weights: fc.record({
    dense: fc.constantFrom(0, 0.75),
    speaker: fc.constantFrom(0, 0.125),
    neighbours: fc.constantFrom([0.5, 0.25, 0.125, 0.0625], [0, 0, 0, 0]),
    length: fc.constantFrom(0, 0.125, 0.5),
    prune: fc.constantFrom(0, 0.04, 0.3),
    codes: fc.constantFrom(2, 12),
    visits: fc.constantFrom(2, 5, 1000),
  }),
});

function open(entries: readonly ModelEntry[][]): NativeBank {
  const bank = new (loadBinding().Bank)(BITS, DIMENSIONS);
  for (const batch of entries) bank.append(batchOf(batch));
  return bank;
}

describe("native bank", () => {
  it("gives back what was appended", () =>
    fc.assert(
      fc.property(batches, (input) => {
        const bank = open(input);
        const entries = input.flat();
        const all = Uint32Array.from(entries.keys());
        assert.equal(bank.entryCount, entries.length);
        assert.equal(bank.tokenCount, entries.flatMap((e) => e.tokens).length);
        const { tokens, offsets } = bank.tokens(all);
        const { bytes, offsets: ends } = bank.metadata(all);
        for (const [i, e] of entries.entries()) {
          assert.deepEqual([...tokens.subarray(offsets[i], offsets[i + 1])], e.tokens);
          assert.deepEqual([...bytes.subarray(ends[i], ends[i + 1])], [...e.metadata]);
        }
        assert.deepEqual(
          [...bank.tokenCounts(all)],
          entries.map((e) => e.tokens.length),
        );
        assert.deepEqual(
          [...bank.sessionsOf(all)],
          entries.map((e) => e.session),
        );
        assert.deepEqual(
          [...bank.speakersOf(all)],
          entries.map((e) => e.speaker),
        );
        const { previous, next } = bank.neighbours(all);
        for (let session = 0; session < 3; ++session) {
          const members = [...all].filter((e) => entries[e]!.session === session);
          assert.deepEqual([...bank.sessionEntries(session)], members);
          assert.deepEqual(
            members.map((e) => previous[e]),
            [NONE, ...members].slice(0, -1).slice(0, members.length),
          );
          assert.deepEqual(
            members.map((e) => next[e]),
            members.length ? [...members.slice(1), NONE] : [],
          );
        }
        const backwards = Uint32Array.from([...all].reverse());
        const reversed = bank.tokens(backwards);
        assert.deepEqual(
          [...reversed.tokens],
          [...entries].reverse().flatMap((e) => e.tokens),
        );
        const spans = bank.spans(all);
        for (const [i, e] of entries.entries())
          assert.equal(spans[2 * i + 1]! - spans[2 * i]!, e.tokens.length);
      }),
    ));

  it("ranks as the formula says, computed naively", async () => {
    await fc.assert(
      fc.asyncProperty(batches, query, async (input, q) => {
        const bank = open(input);
        const actual = await bank.search(queryOf(q));
        const expected = naiveSearch(input.flat(), q, BITS);
        assert.equal(actual.entries.length, expected.length);
        for (const [i, e] of actual.entries.entries()) {
          const all = naiveSearch(input.flat(), { ...q, limit: 1000 }, BITS);
          const same = all.find((other) => other.entry === e)!;
          // The place is the model's, or that of an equal score.
          assert.ok(Math.abs(actual.scores[i]! - expected[i]!.score) < 1e-4);
          assert.ok(Math.abs(actual.scores[i]! - same.score) < 1e-4);
          assert.ok(Math.abs(actual.signatureScores[i]! - same.signatureScore) < 1e-5);
          assert.ok(Math.abs(actual.denseScores[i]! - same.denseScore) < 1e-4);
        }
        if (q.vector === undefined) {
          for (let i = 1; i < actual.entries.length; ++i) {
            const tie = actual.scores[i] === actual.scores[i - 1];
            assert.ok(!tie || actual.entries[i]! > actual.entries[i - 1]!);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("finds the entries that match every signature", async () => {
    await fc.assert(
      fc.asyncProperty(batches, query, fc.boolean(), async (input, q, withStems) => {
        const bank = open(input);
        const { signatures, stems, radius, limit } = queryOf(q);
        const actual = await bank.searchAll({
          signatures,
          stems: withStems ? stems : undefined,
          radius,
          limit,
        });
        const expected = naiveSearchAll(input.flat(), q, BITS, withStems);
        assert.deepEqual(
          [...actual.entries],
          expected.map((e) => e.entry),
        );
        for (const [i, e] of expected.entries()) {
          assert.ok(Math.abs(actual.scores[i]! - e.score) < 1e-6);
        }
      }),
    );
  });

  it("takes a batch whole or not at all", () => {
    const good: ModelEntry[] = [
      {
        tokens: [1, 2],
        codes: [{ token: 1, signature: 3n, stem: 4n }],
        session: 0,
        speaker: NONE,
        vector: NO_VECTOR,
        metadata: new Uint8Array(2),
      },
    ];
    const bank = open([good]);
    const batch = batchOf(good);
    const wrong: Partial<AppendBatch>[] = [
      { tokenCounts: Uint32Array.of(3) },
      { tokens: Uint32Array.of(1) },
      { codeTokens: Uint32Array.of(2) },
      { codeCounts: Uint32Array.of(0) },
      { stems: BigUint64Array.of() },
      { signatures: BigUint64Array.of(1n, 2n) },
      { sessions: Uint32Array.of(2 ** 24) },
      { sessions: Uint32Array.of() },
      { speakers: Uint32Array.of() },
      { vectors: Float32Array.of(1) },
      { metadata: new Uint8Array(1) },
      { metadataLengths: Uint32Array.of(2 ** 32 - 1) },
      { tokens: new Float32Array(2) as unknown as Uint32Array },
    ];
    for (const part of wrong) {
      assert.throws(
        () => bank.append({ ...batch, ...part }),
        (error) => isDentateError(error, "DENTATE_INTERNAL"),
      );
      assert.equal(bank.entryCount, 1);
    }
    assert.equal(bank.append(batch), 1);
  });

  it("refuses entries it does not have and searches that make no sense", () => {
    const bank = open([]);
    const none = Uint32Array.of(0);
    const internal = (error: unknown) => isDentateError(error, "DENTATE_INTERNAL");
    assert.throws(() => bank.tokens(none), internal);
    assert.throws(() => bank.metadata(none), internal);
    assert.throws(() => bank.neighbours(none), internal);
    const weights = {
      dense: 0,
      speaker: 0,
      neighbours: new Float32Array(4),
      length: 0,
      prune: 0,
      codes: 12,
      visits: 1000,
    };
    const good = {
      signatures: BigUint64Array.of(1n),
      stems: BigUint64Array.of(1n),
      wordOf: Uint32Array.of(0),
      radius: 3,
      limit: 5,
      weights,
    };
    assert.throws(() => bank.search({ ...good, wordOf: Uint32Array.of() }), internal);
    assert.throws(() => bank.search({ ...good, stems: BigUint64Array.of(1n, 2n) }), internal);
    assert.throws(() => bank.search({ ...good, vector: new Float32Array(1) }), internal);
    assert.throws(
      () => bank.search({ ...good, speakers: Uint32Array.of(1), speakerCodes: Uint32Array.of(1) }),
      internal,
    );
    assert.throws(
      () => bank.search({ ...good, weights: { ...weights, neighbours: new Float32Array(3) } }),
      internal,
    );
    const { Bank } = loadBinding();
    assert.throws(() => new Bank(100, 0), internal);
    assert.throws(() => new Bank(0, 0), internal);
    assert.throws(() => new Bank(64, 10_000), internal);
  });

  it("gives up when the flag is set", async () => {
    const bank = open([]);
    const weights = {
      dense: 0,
      speaker: 0,
      neighbours: new Float32Array(4),
      length: 0,
      prune: 0,
      codes: 12,
      visits: 1000,
    };
    const empty = {
      signatures: BigUint64Array.of(),
      stems: BigUint64Array.of(),
      wordOf: Uint32Array.of(),
      radius: 3,
      limit: 5,
      weights,
    };
    await assert.rejects(bank.search(empty, Int32Array.of(1)), (error) =>
      isDentateError(error, "DENTATE_ABORTED"),
    );
    assert.equal((await bank.search(empty)).entries.length, 0);
  });

  it("copies its query: the caller's arrays may change while it runs", async () => {
    const word = { signature: 5n, stem: 6n };
    const bank = open([
      [
        {
          tokens: [1],
          codes: [{ token: 0, ...word }],
          session: 0,
          speaker: NONE,
          vector: NO_VECTOR,
          metadata: new Uint8Array(0),
        },
      ],
    ]);
    const q = queryOf({
      codes: [{ code: word, word: 0 }],
      vector: undefined,
      radius: 0,
      limit: 1,
      speakers: [],
      marks: [],
      weights: {
        dense: 0,
        speaker: 0,
        neighbours: [0, 0, 0, 0],
        length: 0,
        prune: 0,
        codes: 12,
        visits: 1000,
      },
    });
    const running = bank.search(q);
    q.signatures.fill(99n);
    q.stems.fill(99n);
    structuredClone(q.wordOf, { transfer: [q.wordOf.buffer] });
    assert.deepEqual([...(await running).entries], [0]);
  });

  it("keeps a small bank small", () => {
    // 20 turns of 50 tokens, 25 codes, 60 bytes of metadata.
    const turns = Array.from(
      { length: 20 },
      (_, i): ModelEntry => ({
        tokens: Array.from({ length: 50 }, (_, j) => (i * 37 + j * 11) % 400),
        codes: Array.from({ length: 25 }, (_, j) => ({
          token: 2 * j,
          signature: BigInt((i * 31 + j * 7) % 300),
          stem: BigInt((i * 31 + j * 7) % 300),
        })),
        session: 0,
        speaker: i % 2,
        vector: NO_VECTOR,
        metadata: new Uint8Array(60),
      }),
    );
    const bank = open(turns.map((turn) => [turn]));
    assert.ok(bank.stats().sizeInBytes < 64 * 1024, `${bank.stats().sizeInBytes} bytes`);
  });
});
