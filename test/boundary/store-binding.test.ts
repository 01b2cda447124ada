import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isDentateError } from "../../src/errors.js";
import {
  AppendColumns,
  BYTES_AN_ENTRY,
  type EntryNumbers,
} from "../../src/native/append-columns.js";
import { loadBinding } from "../../src/native/binding.js";
import type { SearchQuery } from "../../src/native/search-binding.js";
import {
  type AppendBatch,
  type NativeBank,
  NONE,
  type StoreConfig,
} from "../../src/native/store-binding.js";
import type { EncodedColumns, NativeTurnList } from "../../src/native/turn-encoder-binding.js";
import { chooseEncoder } from "../../src/settings.js";
import { turnEncoderOf } from "../../src/turn-encoder.js";

/** An entry as the native bank takes it; its codes are pairs of a token's index and a word. */
interface Raw {
  readonly tokens: number[];
  readonly codes: (readonly [token: number, word: number])[];
  readonly session: string;
  readonly speaker: string | undefined;
  readonly role: number;
  readonly at: number;
  readonly extras: Uint8Array;
}

const raw: fc.Arbitrary<Raw> = fc
  .record({
    tokens: fc.array(fc.integer({ min: 0, max: 200_018 }), { maxLength: 12 }),
    codes: fc.array(fc.tuple(fc.nat(11), fc.nat(9)), { maxLength: 6 }),
    session: fc.constantFrom("a", "b", "\0 漢"),
    speaker: fc.constantFrom(undefined, "Ana", "Ben"),
    role: fc.nat(3),
    at: fc.integer({ min: -8.64e15, max: 8.64e15 }),
    extras: fc.uint8Array({ maxLength: 20 }),
  })
  .map(({ codes, ...rest }) => ({
    ...rest,
    codes: codes.filter(([token]) => token < rest.tokens.length).sort(([a], [b]) => a - b),
  }));

function textsOf(entries: readonly Raw[]): EncodedColumns {
  const codes = entries.flatMap((entry) => entry.codes);
  return {
    tokens: Uint32Array.from(entries.flatMap(({ tokens }) => tokens)),
    tokenCounts: Uint32Array.from(entries, ({ tokens }) => tokens.length),
    signatures: BigUint64Array.from(codes, ([, word]) => BigInt(word) * 0x0101n),
    stems: BigUint64Array.from(codes, ([, word]) => BigInt(word)),
    pieces: Uint32Array.from(codes, ([, word]) => word),
    pieceCounts: Uint32Array.from(codes, () => 1),
    codeTokens: Uint32Array.from(codes, ([token]) => token),
    codeCounts: Uint32Array.from(entries, (entry) => entry.codes.length),
  };
}

const columns = new AppendColumns();

/** In {@link columns}, which are one batch's at a time. */
function batchOf(entries: readonly Raw[], wrong: Partial<EntryNumbers> = {}): AppendBatch {
  const sessionNames = [...new Set(entries.map(({ session }) => session))];
  const speakerNames = namesOf(entries);
  columns.begin(entries.length);
  for (const [i, { at, session, speaker, extras, role }] of entries.entries()) {
    columns.set(i, {
      at,
      expires: Number.POSITIVE_INFINITY,
      ingested: i,
      session: sessionNames.indexOf(session),
      speaker: speaker === undefined ? NONE : speakerNames.indexOf(speaker),
      origin: NONE,
      before: NONE,
      extrasLength: extras.length,
      role,
      ...wrong,
    });
  }
  return {
    count: entries.length,
    columns: columns.bytes,
    sessionNames,
    speakerNames,
    extras: Uint8Array.from(entries.flatMap(({ extras }) => [...extras])),
    dedupe: false,
    restore: false,
  };
}

function namesOf(entries: readonly Raw[]): string[] {
  return [...new Set(entries.flatMap(({ speaker }) => speaker ?? []))];
}

function speakersOf(entries: readonly Raw[]): NativeTurnList {
  const names = namesOf(entries);
  return new (loadBinding().TurnList)({
    tokens: new Uint32Array(),
    tokenCounts: new Uint32Array(names.length),
    codeTokens: new Uint32Array(names.length),
    codeCounts: new Uint32Array(names.length).fill(1),
    signatures: new BigUint64Array(names.length),
    stems: BigUint64Array.from(names, ({ length }) => BigInt(length)),
    pieces: new Uint32Array(),
    pieceCounts: new Uint32Array(names.length),
  });
}

/** The numbers that the entries got. */
function append(bank: NativeBank, entries: readonly Raw[]): number[] {
  const turns = new (loadBinding().TurnList)(textsOf(entries));
  bank.append(batchOf(entries), turns, speakersOf(entries));
  return [...columns.entries()];
}

const config: StoreConfig = {
  readOnly: false,
  durability: "sync",
  intervalMs: 100,
  signatureBits: 64,
  settings: {},
  memoryLimit: 1e9,
  sealBytes: 1e6,
  pollMs: 50,
};

async function openBank(...batches: readonly Raw[][]): Promise<NativeBank> {
  const store = await loadBinding().Store.open(config, () => {});
  const bank = store.bank("b");
  for (const batch of batches) append(bank, batch);
  return bank;
}

const one: Raw = {
  tokens: [1, 2],
  codes: [[1, 3]],
  session: "a",
  speaker: "Ana",
  role: 0,
  at: 0,
  extras: new Uint8Array(2),
};

const query: SearchQuery = {
  signatures: BigUint64Array.of(0x0303n),
  stems: BigUint64Array.of(3n),
  wordOf: Uint32Array.of(0),
  radius: 3,
  limit: 5,
  weights: {
    dense: 0,
    speaker: 0,
    neighbours: new Float32Array(4),
    length: 0,
    prune: 0,
    codes: 12,
    visits: 1000,
    candidates: 100,
    piece: 0,
    whole: 0,
    cut: 0,
    entryShare: 0,
    bulky: 0,
    acting: 0,
    bulkPrice: 0,
    bulkFree: 1,
    actionFree: 1,
    giveWay: 0,
    repeat: 0,
  },
};
const internal = (error: unknown) => isDentateError(error, "DENTATE_INTERNAL");

describe("native bank", () => {
  it("gives back what was appended", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(raw, { maxLength: 4 }), { maxLength: 6 }),
        async (input) => {
          const bank = await openBank(...input);
          const entries = input.flat();
          const view = bank.view();
          assert.equal(view.entryCount, entries.length);
          assert.equal(view.liveCount, entries.length);
          const backwards = Uint32Array.from([...entries.keys()].reverse());
          const columns = view.read(backwards);
          const { bytes, offsets } = view.extras(backwards);
          for (const [i, number] of backwards.entries()) {
            const entry = entries[number]!;
            const slice = (values: Uint32Array | Uint8Array, ends: Uint32Array) => [
              ...values.subarray(ends[i], ends[i + 1]),
            ];
            assert.deepEqual(slice(columns.tokens, columns.tokenOffsets), entry.tokens);
            assert.deepEqual(slice(columns.extras, columns.extrasOffsets), [...entry.extras]);
            assert.deepEqual(slice(bytes, offsets), [...entry.extras]);
            assert.equal(columns.sessionNames[columns.sessions[i]!], entry.session);
            assert.equal(columns.speakerNames[columns.speakers[i]!], entry.speaker);
            assert.equal(columns.roles[i], entry.role);
            assert.equal(columns.at[i], entry.at);
            assert.equal(columns.expires[i], Number.POSITIVE_INFINITY);
            assert.equal(columns.origins[i], number);
            assert.equal(columns.spans[2 * i + 1]! - columns.spans[2 * i]!, entry.tokens.length);
          }
          assert.deepEqual(
            [...view.tokenCounts(backwards)],
            [...backwards].map((number) => entries[number]!.tokens.length),
          );
        },
      ),
    ));

  it("takes a batch whole or not at all", async () => {
    const bank = await openBank([one]);
    const { TurnList } = loadBinding();
    const texts = textsOf([one]);
    const speakers = speakersOf([one]);
    const refuses = (batch: AppendBatch, turns: EncodedColumns, of = speakers) => {
      assert.throws(() => bank.append(batch, new TurnList(turns), of), internal);
      assert.equal(bank.view().entryCount, 1);
    };
    const wrongTexts: Partial<EncodedColumns>[] = [
      { tokenCounts: Uint32Array.of(3) },
      { tokenCounts: Uint32Array.of() },
      { tokens: Uint32Array.of(1) },
      { codeTokens: Uint32Array.of(2) },
      { codeCounts: Uint32Array.of(0) },
      { stems: BigUint64Array.of() },
      { signatures: BigUint64Array.of(1n, 2n) },
      { pieces: Uint32Array.of() },
      { pieceCounts: Uint32Array.of(2) },
    ];
    for (const part of wrongTexts) refuses(batchOf([one]), { ...texts, ...part });
    const wrongNumbers: Partial<EntryNumbers>[] = [
      { session: 7 },
      { speaker: 3 },
      { session: NONE },
      { at: 8.65e15 },
      { extrasLength: 2 ** 32 - 1 },
    ];
    for (const part of wrongNumbers) refuses(batchOf([one], part), texts);
    const wrongBatches: Partial<AppendBatch>[] = [
      { count: 2 },
      { count: 2 ** 32 - 1 },
      { columns: new Uint8Array(BYTES_AN_ENTRY - 1) },
      { columns: columns.bytes.subarray(1) },
      { columns: new Float32Array(100) as unknown as Uint8Array },
      { extras: new Uint8Array(1) },
      { sessionNames: [7] as unknown as string[] },
    ];
    for (const part of wrongBatches) refuses({ ...batchOf([one]), ...part }, texts);
    refuses(batchOf([one]), texts, new TurnList());
    refuses(batchOf([one]), texts, {} as never);
    assert.throws(
      () => new TurnList({ ...texts, tokens: new Float32Array(2) as unknown as Uint32Array }),
      internal,
    );
    assert.deepEqual(append(bank, [one]), [1]);
  });

  it("reads numbers that nobody has as entries of nothing", async () => {
    const view = (await openBank([one])).view();
    const { tokens, sessions, speakers } = view.read(Uint32Array.of(5, NONE));
    assert.deepEqual([[...tokens], [...sessions], [...speakers]], [[], [NONE, NONE], [NONE, NONE]]);
    assert.deepEqual([...view.newest(Uint32Array.of(0, 5, NONE))], [0, NONE, NONE]);
    assert.deepEqual([...view.versions(5)], []);
  });

  it("refuses searches that make no sense", async () => {
    const view = (await openBank([one])).view();
    const wrong: Partial<SearchQuery>[] = [
      { wordOf: Uint32Array.of() },
      { stems: BigUint64Array.of(1n, 2n) },
      { vector: new Float32Array(1) },
      { speakers: ["Ana"], speakerCodes: Uint32Array.of(1) },
      { speakers: ["Ana"], speakerCodes: Uint32Array.of() },
      { marks: Uint32Array.of(0, 1) },
      { weights: { ...query.weights, neighbours: new Float32Array(3) } },
      { mask: new Uint8Array(4) as unknown as Uint32Array },
    ];
    for (const part of wrong) {
      assert.throws(() => view.search({ ...query, ...part }), internal, Object.keys(part).join());
    }
    assert.throws(() => view.search(undefined as never), internal);
    assert.deepEqual([...(await view.search(query)).entries], [0]);
  });

  it("gives up when the flag is set", async () => {
    const view = (await openBank([one])).view();
    await assert.rejects(view.search(query, Int32Array.of(1)), (error) =>
      isDentateError(error, "DENTATE_ABORTED"),
    );
  });

  it("copies its query: the caller's arrays may change while it runs", async () => {
    const view = (await openBank([one])).view();
    const own = { ...query, signatures: query.signatures.slice(), stems: query.stems.slice() };
    const wordOf = query.wordOf.slice();
    const running = view.search({ ...own, wordOf });
    own.signatures.fill(99n);
    own.stems.fill(99n);
    structuredClone(wordOf, { transfer: [wordOf.buffer] });
    assert.deepEqual([...(await running).entries], [0]);
  });

  it("answers about one moment, whatever comes after it", async () => {
    const bank = await openBank([one, { ...one, session: "b" }]);
    const view = bank.view();
    append(bank, [one]);
    bank.delete(Uint32Array.of(0));
    assert.deepEqual([...view.select({})], [0b011]);
    assert.deepEqual([...(await view.search(query)).entries], [0, 1]);
    assert.deepEqual([...bank.view().select({})], [0b110]);
    const searching = view.search(query);
    view.release();
    assert.deepEqual([...(await searching).entries], [0, 1]);
    assert.throws(() => view.read(Uint32Array.of(0)), internal);
  });

  it("searches only what the mask has", async () => {
    const view = (await openBank([one, one, one])).view();
    const search = async (...mask: number[]) => [
      ...(await view.search({ ...query, mask: Uint32Array.from(mask) })).entries,
    ];
    assert.deepEqual(await search(0b101), [0, 2]);
    assert.deepEqual(await search(0xffffffff, 0xffffffff), [0, 1, 2]);
    assert.deepEqual(await search(), []);
    assert.deepEqual([...view.latest(9, Uint32Array.of(0b110))], [2, 1]);
  });

  it("appends in the lane, of a batch that is wrong all turns but the wrong ones", async () => {
    const signatureBits = 128;
    const store = await loadBinding().Store.open({ ...config, signatureBits }, () => {});
    const bank = store.bank("b");
    const encoder = turnEncoderOf(chooseEncoder("distilled", {})).native;
    const texts = { texts: ["one lamp", "two lamps", "three"], given: [] };
    const speakers = { texts: ["Ana"], given: [] };
    const turns = [one, one, one];
    bank.appendElsewhere(batchOf(turns), encoder, texts, speakers);
    const wrong = batchOf(turns);
    columns.set(1, {
      at: 0,
      expires: Number.POSITIVE_INFINITY,
      ingested: 1,
      session: 9,
      speaker: 0,
      origin: NONE,
      before: NONE,
      extrasLength: one.extras.length,
      role: 0,
    });
    bank.appendElsewhere(wrong, encoder, texts, speakers);
    bank.appendElsewhere(batchOf(turns), encoder, texts, speakers);
    store.drainAppends();
    const answers = new Uint32Array(7);
    assert.equal(typeof store.takeAppended(answers, false), "number");
    assert.deepEqual([...answers.subarray(0, 6)], [0, 1, 2, 0, 0, 0]);
    const outcome = store.takeAppended(answers, false) as readonly (Error | undefined)[];
    assert.deepEqual(
      outcome.map((error) => error !== undefined),
      [false, true, false],
    );
    assert.deepEqual([...answers.subarray(0, 6)], [3, NONE, 4, 1, 0, 1]);
    const view = bank.view();
    assert.deepEqual([...view.tokenCounts(Uint32Array.of(3, 4))], [2, 1]);
    assert.deepEqual([...view.extras(Uint32Array.of(4)).bytes], [...one.extras]);
    assert.equal(typeof store.takeAppended(answers, false), "number");
    assert.equal(store.takeAppended(answers, false), undefined);
    const again = batchOf(turns);
    assert.throws(() => bank.appendElsewhere(again, {} as never, texts, speakers), internal);
    const few = { texts: ["one"], given: [] };
    assert.throws(() => bank.appendElsewhere(again, encoder, few, speakers), internal);
    await store.close();
  });

  it("is made by a store alone", async () => {
    const bank = await openBank([one]);
    for (const made of [bank, bank.view()]) {
      const Class = made.constructor as new (...args: unknown[]) => unknown;
      assert.throws(() => new Class(), internal);
      assert.throws(() => new Class({}), internal);
    }
    const { Store } = loadBinding();
    assert.throws(() => new (Store as unknown as new () => unknown)(), internal);
    assert.throws(() => Store.open({} as StoreConfig, () => {}), internal);
    assert.throws(() => Store.open(config, undefined as never), internal);
  });

  it("keeps a small bank small", async () => {
    // 20 turns of 50 tokens, 25 codes, 60 bytes of metadata.
    const turns = Array.from(
      { length: 20 },
      (_, i): Raw => ({
        ...one,
        tokens: Array.from({ length: 50 }, (_, j) => (i * 37 + j * 11) % 400),
        codes: Array.from({ length: 25 }, (_, j) => [2 * j, (i * 31 + j * 7) % 300] as const),
        extras: new Uint8Array(60),
      }),
    );
    const bank = await openBank(...turns.map((turn) => [turn]));
    assert.ok(bank.sizeInBytes < 64 * 1024, `${bank.sizeInBytes} bytes`);
  });
});
