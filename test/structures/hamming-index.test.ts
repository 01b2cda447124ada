import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isDentateError } from "../../src/errors.js";
import { HammingIndex, type HammingMatches } from "../../src/structures/index.js";
import { cpuTimer } from "../lib/cpu-time.js";

/** Pairs [distance, id], the plain way. */
function naive(signatures: bigint[][], query: readonly bigint[]): [number, number][] {
  return signatures.map((words, id) => {
    const differing = words.map((word, w) => word ^ (query[w] ?? 0n));
    const ones = differing.map((word) => [...word.toString(2)].filter((bit) => bit === "1").length);
    return [ones.reduce((sum, count) => sum + count, 0), id];
  });
}

const pairs = ({ ids, distances }: HammingMatches): [number, number][] =>
  Array.from(ids, (id, i) => [distances[i] ?? -1, id]);

const byDistance = (a: readonly [number, number], b: readonly [number, number]) =>
  a[0] - b[0] || a[1] - b[1];

/** A few base words with few bits flipped, so that distances are small and often equal. */
const word = fc
  .tuple(fc.constantFrom(0n, 0xffff_ffff_ffff_ffffn, 0x0123_4567_89ab_cdefn), fc.bigInt(0n, 255n))
  .map(([base, flips]) => base ^ flips);

const scenario = fc.integer({ min: 1, max: 4 }).chain((words) => {
  const signature = fc.array(word, { minLength: words, maxLength: words });
  return fc.record({
    words: fc.constant(words),
    batches: fc.array(fc.array(signature, { maxLength: 40 }), { maxLength: 5 }),
    queries: fc.array(signature, { minLength: 1, maxLength: 4 }),
    radius: fc.integer({ min: 0, max: words * 64 }),
    k: fc.integer({ min: 1, max: 60 }),
    hashAfter: fc.option(fc.nat(4)),
  });
});

describe("HammingIndex", () => {
  it("answers as a plain loop over BigInts does, hashed or not", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ words, batches, queries, radius, k, hashAfter }) => {
        const index = new HammingIndex({ bits: words * 64 });
        const all: bigint[][] = [];
        for (const [i, batch] of batches.entries()) {
          all.push(...batch);
          // A view that starts inside its buffer: the byte offset must be honoured.
          const flat = new BigUint64Array([9n, ...batch.flat(), 9n]).subarray(1, -1);
          assert.equal(index.add(flat), all.length);
          if (i === hashAfter) index.hash();
        }
        assert.equal(index.size, all.length);
        const flat = new BigUint64Array([7n, ...queries.flat()]).subarray(1);
        const within = index.withinMany(flat, radius);
        const nearest = index.nearestMany(flat, k);
        assert.deepEqual(await index.withinManyAsync(flat, radius, { threads: 2 }), within);
        assert.deepEqual(await index.nearestManyAsync(flat, k, { threads: 2 }), nearest);
        assert.equal(within.offsets.length, queries.length + 1);
        for (const [q, query] of queries.entries()) {
          const view = flat.subarray(q * words, (q + 1) * words);
          const distances = naive(all, query);
          const expected = distances.filter(([distance]) => distance <= radius);
          const best = distances.sort(byDistance).slice(0, k);
          assert.deepEqual(pairs(index.within(view, radius)), expected);
          assert.deepEqual(pairs(await index.withinAsync(view, radius)), expected);
          assert.deepEqual(pairs(index.nearest(view, k)), best);
          assert.deepEqual(pairs(await index.nearestAsync(view, k)), best);
          const [from, to] = [within.offsets[q], within.offsets[q + 1]];
          assert.deepEqual([...within.ids.subarray(from, to)], [...index.within(view, radius).ids]);
        }
        const copy = HammingIndex.deserialize(index.serialize());
        assert.deepEqual(copy.nearestMany(flat, k), nearest);
        assert.equal(copy.bits, index.bits);
      }),
      { numRuns: 200 },
    );
  });

  it("grows by about its signatures, and reports its hashes", async () => {
    const index = new HammingIndex({ bits: 128 });
    const empty = index.sizeInBytes;
    assert.ok(empty < 1024);
    index.add(new BigUint64Array(20000));
    assert.ok(index.sizeInBytes - empty >= 160_000 && index.sizeInBytes - empty < 170_000);
    assert.equal(index.hashed, 0);
    await index.hashAsync();
    assert.equal(index.hashed, 10_000);
    assert.ok(index.sizeInBytes > 400_000);
  });

  it("gives up when its signal fires, within a few milliseconds", async () => {
    const index = new HammingIndex({ bits: 64 });
    const block = new BigUint64Array(1 << 20);
    for (let i = 0; i < 8; i++) index.add(block);
    // Enough queries to take seconds. All signatures match each: nothing but the signal ends it.
    const queries = new BigUint64Array(2000).fill(1n);
    const reason = new Error("enough");
    const controller = new AbortController();
    const search = index.nearestManyAsync(queries, 5, { signal: controller.signal });
    let cpuMs = cpuTimer();
    setTimeout(() => {
      cpuMs = cpuTimer();
      controller.abort(reason);
    }, 20);
    await assert.rejects(search, (error) => {
      assert.ok(isDentateError(error, "DENTATE_ABORTED"));
      assert.equal(error.cause, reason);
      return true;
    });
    assert.ok(cpuMs() < 100, `${cpuMs()} ms`);
    const signal = AbortSignal.abort(reason);
    await assert.rejects(index.withinAsync(queries.subarray(0, 1), 1, { signal }), (error) =>
      isDentateError(error, "DENTATE_ABORTED"),
    );
    await assert.rejects(index.hashAsync({ signal }), (error) =>
      isDentateError(error, "DENTATE_ABORTED"),
    );
  });

  it("refuses what it cannot use, naming the argument", async () => {
    const index = new HammingIndex({ bits: 128 });
    const query = new BigUint64Array(2);
    // biome-ignore lint/suspicious/noExplicitAny: what TypeScript would refuse is the point
    const untyped = (value: unknown): any => value;
    const cases: [() => unknown, typeof TypeError | typeof RangeError, RegExp][] = [
      [() => new HammingIndex(untyped(undefined)), TypeError, /^options: /],
      [() => new HammingIndex({ bits: 100 }), RangeError, /^options\.bits: .*multiple of 64.*100/],
      [() => new HammingIndex({ bits: 0 }), RangeError, /^options\.bits: /],
      [() => new HammingIndex({ bits: 65536 }), RangeError, /^options\.bits: /],
      [() => new HammingIndex({ bits: untyped("64") }), TypeError, /^options\.bits: /],
      [() => new HammingIndex(untyped({ bits: 64, thread: 1 })), TypeError, /thread/],
      [() => index.add(untyped([1n, 2n])), TypeError, /^signatures: .*an array/],
      [() => index.add(untyped(new Uint32Array(4))), TypeError, /^signatures: /],
      [() => index.add(new BigUint64Array(3)), RangeError, /^signatures: .*got 3/],
      [() => index.within(new BigUint64Array(4), 1), RangeError, /^query: .*got 4/],
      [() => index.within(query, -1), RangeError, /^radius: .*-1/],
      [() => index.within(query, 129), RangeError, /^radius: /],
      [() => index.within(query, 1.5), RangeError, /^radius: /],
      [() => index.within(query, Number.NaN), RangeError, /^radius: /],
      [() => index.nearest(query, 0), RangeError, /^k: /],
      [() => index.nearest(query, untyped("3")), TypeError, /^k: /],
      [() => index.nearest(query, 3, { threads: 0 }), RangeError, /^options\.threads: /],
      [() => index.within(query, 3, untyped({ tread: 2 })), TypeError, /did you mean 'threads'/],
      [() => index.withinMany(new BigUint64Array(5), 1), RangeError, /^queries: /],
      [() => HammingIndex.deserialize(untyped([])), TypeError, /^bytes: /],
    ];
    for (const [call, type, message] of cases) {
      assert.throws(call, (error) => {
        assert.ok(error instanceof type, String(error));
        assert.match(error.message, message);
        return true;
      });
    }
    await assert.rejects(index.withinAsync(query, 200), RangeError);
    await assert.rejects(index.nearestAsync(query, 1, { signal: untyped(1) }), TypeError);
    assert.equal(index.size, 0);
  });

  it("takes no bytes but an index's", () => {
    const index = new HammingIndex({ bits: 64 });
    index.add(new BigUint64Array([1n, 2n, 3n]));
    const bytes = index.serialize();
    assert.deepEqual(
      [...HammingIndex.deserialize(bytes).within(new BigUint64Array([3n]), 0).ids],
      [2],
    );
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    assert.equal(HammingIndex.deserialize(shifted.subarray(1)).size, 3);
    for (const wrong of [new Uint8Array(), bytes.subarray(0, -1), bytes.fill(0x44, 0, 3)]) {
      assert.throws(
        () => HammingIndex.deserialize(wrong),
        (error) => isDentateError(error, "DENTATE_CORRUPTION"),
      );
    }
  });
});
