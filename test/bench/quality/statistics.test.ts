import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lineChart, ticks } from "../../../bench/lib/chart.js";
import { seededRandom } from "../../../bench/lib/random.js";
import { compare, interval } from "../../../bench/quality/bootstrap.js";
import { compareOn } from "../../../bench/quality/compare-strategies.js";
import { Measured } from "../../../bench/quality/measure.js";
import { markdownTable } from "../../../bench/quality/present.js";

/** Sums of uniform numbers: near enough to normal, with this mean and a deviation of 1. */
function normal(count: number, mean: number, seed: number): number[] {
  const next = seededRandom(seed);
  return Array.from({ length: count }, () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += next();
    return mean + sum;
  });
}

describe("the paired bootstrap", () => {
  it("gives an interval as wide as theory says, and finds a difference that is there", () => {
    const a = normal(400, 1.3, 1);
    const b = normal(400, 1, 2);
    const { difference, low, high, p } = compare(a, b);
    assert.ok(low < difference && difference < high);
    // 1.96 standard errors of a difference on each side: sqrt(2 / 400) = 0.0707.
    assert.ok(Math.abs((high - low) / 2 - 1.96 * 0.0707) < 0.03, `${low} ${high}`);
    assert.ok(p < 0.01, String(p));
    assert.equal(compare(a, b, 1).p, p);
  });

  it("finds none where there is none", () => {
    const same = [0, 100, 100, 0];
    assert.equal(compare(same, same).p, 1);
    let found = 0;
    for (let trial = 0; trial < 40; trial++) {
      const a = normal(100, 0, 1000 + 2 * trial);
      if (compare(a, normal(100, 0, 1001 + 2 * trial), trial).p < 0.05) found++;
    }
    assert.ok(found <= 7, String(found)); // 2 of 40 are expected; more than 7, in one case of 1,000
  });

  it("is wrong about a mean in about one case of twenty", () => {
    let misses = 0;
    for (let trial = 0; trial < 60; trial++) {
      const { low, high } = interval(normal(80, 5, 100 + trial), trial);
      if (low > 5 || high < 5) misses++;
    }
    assert.ok(misses <= 9, String(misses));
  });

  it("refuses lists that are not of the same questions", () => {
    assert.throws(() => compare([1], [1, 2]), RangeError);
    assert.throws(() => compare([], []), RangeError);
  });

  it("pairs strategies on the questions that both have", () => {
    const a = new Measured("a");
    const b = new Measured("b");
    for (const [question, value] of [10, 20, 30].entries()) {
      a.means.add(question, "x", [{ metric: "m", value, unit: "%" }]);
      if (question > 0) b.means.add(question, "x", [{ metric: "m", value: 15, unit: "%" }]);
    }
    assert.equal(compareOn(a, b, "m")?.difference, 10);
    assert.equal(compareOn(a, b, "absent"), undefined);
  });
});

describe("several seeds of a strategy", () => {
  it("become one, with each question's mean and the spread of the means", () => {
    const runs = [10, 30].map((value) => {
      const run = new Measured("r");
      run.means.add(0, "x", [{ metric: "m", value, unit: "%" }]);
      run.means.add(1, "y", [{ metric: "m", value: 0, unit: "%" }]);
      return run;
    });
    const merged = Measured.merged("r", runs);
    assert.deepEqual(
      [...merged.means.values("m")],
      [
        [0, 20],
        [1, 0],
      ],
    );
    assert.equal(merged.spread.get("m"), Math.sqrt(50)); // of the means 5 and 15
    assert.match(markdownTable([merged], ["m", "n"]), /\| r \| 10\.0 \(.*\) \| – \| – \|/);
  });
});

describe("a chart", () => {
  it("has round ticks that hold all values", () => {
    assert.deepEqual(ticks([81.3, 88.9]), [80, 82, 84, 86, 88, 90]);
    assert.deepEqual(ticks([5, 5]), [5, 6]);
    assert.deepEqual(ticks([]), [0, 1]);
  });

  it("draws each series, its intervals and its name, and escapes names", () => {
    const points = [
      { x: 1000, y: 70, low: 65, high: 75 },
      { x: 2000, y: 80 },
    ];
    const svg = lineChart([{ name: "a<b", points }], { title: "T & U", x: "tokens", y: "%" });
    assert.equal(svg.match(/<circle/g)?.length, 2);
    assert.match(svg, /a&#60;b/);
    assert.match(svg, /T &#38; U/);
    assert.doesNotMatch(svg, /NaN|undefined/);
  });
});
