import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isDentateError } from "../../src/errors.js";
import { DynamicWaveletMatrix, NOT_FOUND } from "../../src/structures/index.js";

const scenario = fc.integer({ min: 1, max: 32 }).chain((symbolBits) => {
  const most = 2 ** symbolBits - 1;
  // Few symbols, so that they repeat, and any.
  const symbol = fc.oneof(
    fc.integer({ min: 0, max: Math.min(3, most) }),
    fc.integer({ min: 0, max: most }),
  );
  return fc.record({
    symbolBits: fc.constant(symbolBits),
    sealAfter: fc.constantFrom(0, 20, 2 ** 24),
    batches: fc.array(fc.array(symbol, { maxLength: 60 }), { minLength: 1, maxLength: 6 }),
    asked: fc.array(symbol, { minLength: 1, maxLength: 5 }),
    cut: fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()),
    k: fc.nat(8),
  });
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** Every query, against the plain array. */
function check(wm: DynamicWaveletMatrix, text: readonly number[], { asked, cut, k }: Scenario) {
  const length = text.length;
  assert.equal(wm.length, length);
  assert.deepEqual([...wm.accessRange(0, length)], text);
  const everywhere = Uint32Array.from(text.keys());
  assert.deepEqual([...wm.access(everywhere)], text);
  for (const symbol of new Set([...asked, ...text.slice(0, 20)])) {
    const positions = text.flatMap((s, i) => (s === symbol ? [i] : []));
    assert.equal(wm.count(symbol), positions.length);
    assert.deepEqual([...wm.occurrences(symbol)], positions);
    assert.deepEqual([...wm.occurrences(symbol, { from: 1, limit: k })], positions.slice(1, 1 + k));
    assert.equal(wm.select(symbol, k), positions[k]);
    const ks = Uint32Array.from({ length: positions.length + 1 }, (_, i) => i);
    const same = new Uint32Array(ks.length).fill(symbol);
    assert.deepEqual([...wm.select(same, ks)], [...positions, NOT_FOUND]);
    const ends = Uint32Array.from({ length: length + 1 }, (_, i) => i);
    assert.deepEqual(
      [...wm.rank(new Uint32Array(length + 1).fill(symbol), ends)],
      [...ends].map((end) => positions.filter((position) => position < end).length),
    );
    assert.equal(wm.rank(symbol, length), positions.length);
  }
  if (length > 0) assert.equal(wm.access(length - 1), text.at(-1));

  const [a, b, c, d] = cut.map((at) => at % (length + 1)) as [number, number, number, number];
  const [start, end] = [Math.min(a, b), Math.max(a, b)];
  const other = [Math.min(c, d), Math.max(c, d)] as const;
  const inside = text.slice(start, end);
  const sorted = inside.slice().sort((x, y) => x - y);
  const low = asked[0]!;
  const high = asked.at(-1)!;
  assert.equal(
    wm.rangeCount(start, end, low, high),
    inside.filter((symbol) => symbol >= low && symbol < high).length,
  );
  assert.equal(wm.rangeCount(start, end, 0, 2 ** 32), inside.length);
  assert.equal(wm.rangeQuantile(start, end, k), sorted[k]);
  const distinct = [...new Set(sorted)];
  const counts = distinct.map((symbol) => sorted.filter((s) => s === symbol).length);
  const found = wm.rangeDistinct(start, end);
  assert.deepEqual([[...found.symbols], [...found.counts]], [distinct, counts]);
  const top = distinct
    .map((symbol, i) => [symbol, counts[i]!] as const)
    .sort((x, y) => y[1] - x[1] || x[0] - y[0])
    .slice(0, k);
  const { symbols, counts: topCounts } = wm.rangeTopK(start, end, k);
  assert.deepEqual(
    Array.from(symbols, (symbol, i) => [symbol, topCounts[i]]),
    top,
  );
  const there = new Set(text.slice(...other));
  assert.deepEqual(
    [...wm.rangeIntersect([[start, end], other])],
    distinct.filter((symbol) => there.has(symbol)),
  );
}

describe("DynamicWaveletMatrix", () => {
  it("answers as a plain array does while it grows, seals, is saved and loaded", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (input) => {
        const { symbolBits, sealAfter, batches } = input;
        let wm = new DynamicWaveletMatrix({ symbolBits, sealAfter });
        const text: number[] = [];
        for (const [i, batch] of batches.entries()) {
          text.push(...batch);
          // A view that starts inside its buffer: the byte offset must be honoured.
          const view = new Uint32Array([1, ...batch, 1]).subarray(1, -1);
          assert.equal(wm.append(view), text.length);
          check(wm, text, input);
          if (i === 2) await wm.seal();
          if (i === 3) wm = DynamicWaveletMatrix.deserialize(wm.serialize());
        }
        check(wm, text, input);
      }),
      { numRuns: 60 },
    );
  });

  it("takes symbols as wide as it says", () => {
    for (const symbolBits of [1, 17, 31, 32]) {
      const wm = new DynamicWaveletMatrix({ symbolBits });
      assert.equal(wm.symbolBits, symbolBits);
      const last = 2 ** symbolBits - 1;
      assert.equal(wm.append(new Uint32Array([last, 0, last])), 3);
      assert.equal(wm.access(2), last);
      assert.equal(wm.rangeQuantile(0, 3, 0), 0);
      if (symbolBits === 32) continue;
      assert.throws(() => wm.append(new Uint32Array([0, last + 1])), RangeError);
      assert.equal(wm.length, 3);
      assert.equal(wm.count(last + 1), 0);
      assert.equal(wm.select(last + 1, 0), undefined);
    }
  });

  it("refuses what makes no sense, and names it", () => {
    const wm = new DynamicWaveletMatrix({ symbolBits: 8 });
    assert.throws(() => wm.access(0), { name: "RangeError", message: /^position/ });
    wm.append(new Uint32Array([1, 2, 3]));
    const wrong: [() => unknown, string, RegExp][] = [
      [() => new DynamicWaveletMatrix({ symbolBits: 0 }), "RangeError", /^options\.symbolBits/],
      [() => new DynamicWaveletMatrix({ symbolBits: 33 }), "RangeError", /^options\.symbolBits/],
      [() => new DynamicWaveletMatrix({} as never), "TypeError", /^options\.symbolBits/],
      [
        () => new DynamicWaveletMatrix({ symbolBits: 8, symbolbits: 8 } as never),
        "TypeError",
        /symbolbits/,
      ],
      [
        () => new DynamicWaveletMatrix({ symbolBits: 8, sealAfter: -1 }),
        "RangeError",
        /^options\.sealAfter/,
      ],
      [() => wm.append([1] as never), "TypeError", /^symbols/],
      [() => wm.append(new Uint32Array([1, 256])), "RangeError", /^symbols\[1\].*256/],
      [() => wm.access(3), "RangeError", /^position/],
      [() => wm.access(1.5), "RangeError", /^position/],
      [() => wm.access("1" as never), "TypeError", /^positions/],
      [() => wm.access(new Uint32Array([0, 3])), "RangeError", /^positions\[1\]/],
      [() => wm.accessRange(2, 1), "RangeError", /^end/],
      [() => wm.accessRange(0, 4), "RangeError", /^end/],
      [() => wm.rank(1, 4), "RangeError", /^i:/],
      [() => wm.rank(-1, 0), "RangeError", /^symbol/],
      [() => wm.rank(new Uint32Array([1]), new Uint32Array([4])), "RangeError", /^positions\[0\]/],
      [() => wm.rank(new Uint32Array(2), new Uint32Array(1)), "RangeError", /^positions/],
      [() => wm.select(1, -1), "RangeError", /^k/],
      [() => wm.select(new Uint32Array(2), new Uint32Array(1)), "RangeError", /^ks/],
      [() => wm.occurrences(1, { limit: 0.5 }), "RangeError", /^options\.limit/],
      [() => wm.occurrences(1, { max: 5 } as never), "TypeError", /max/],
      [() => wm.rangeCount(0, 3, -1, 2), "RangeError", /^low/],
      [() => wm.rangeQuantile(0, 3, Number.NaN), "RangeError", /^k/],
      [() => wm.rangeTopK(3, 5, 1), "RangeError", /^end/],
      [() => wm.rangeIntersect([[0, 9]]), "RangeError", /^ranges\[0\]\.end/],
      [() => wm.rangeIntersect([[0]] as never), "TypeError", /^ranges\[0\]/],
      [() => DynamicWaveletMatrix.deserialize("x" as never), "TypeError", /^bytes/],
    ];
    for (const [call, name, message] of wrong) assert.throws(call, { name, message });
    assert.deepEqual([...wm.accessRange(0, 3)], [1, 2, 3]);
  });

  it("refuses damaged bytes with a code", () => {
    const wm = new DynamicWaveletMatrix({ symbolBits: 8 });
    wm.append(new Uint32Array([1, 2, 3]));
    const bytes = wm.serialize();
    const corrupt = (error: unknown) => isDentateError(error, "DENTATE_CORRUPTION");
    assert.throws(() => DynamicWaveletMatrix.deserialize(bytes.subarray(0, -1)), corrupt);
    assert.throws(() => DynamicWaveletMatrix.deserialize(new Uint8Array(0)), corrupt);
    assert.throws(() => DynamicWaveletMatrix.deserialize(new Uint8Array(500)), corrupt);
    bytes[8] = 2;
    assert.throws(
      () => DynamicWaveletMatrix.deserialize(bytes),
      (error) => isDentateError(error, "DENTATE_VERSION"),
    );
  });

  it("costs little when it is small", () => {
    const wm = new DynamicWaveletMatrix({ symbolBits: 18 });
    assert.ok(wm.sizeInBytes < 1500, `${wm.sizeInBytes} bytes empty`);
    wm.append(Uint32Array.from({ length: 1000 }, (_, i) => (i * 7919) % 200_000));
    assert.ok(wm.sizeInBytes < 6000, `${wm.sizeInBytes} bytes for 1,000 symbols`);
  });
});
