import type { Row } from "../lib/row.js";
import { type Comparison, compare } from "./bootstrap.js";
import type { Measured } from "./measure.js";

/** The values of a metric that two strategies have of the same questions, in one order. */
export function paired(a: Measured, b: Measured, metric: string): [number[], number[]] {
  const ofB = b.means.values(metric);
  const questions = [...a.means.values(metric).keys()].filter((question) => ofB.has(question));
  const ofA = a.means.values(metric);
  return [questions.map((q) => ofA.get(q)!), questions.map((q) => ofB.get(q)!)];
}

export function compareOn(a: Measured, b: Measured, metric: string): Comparison | undefined {
  const [ofA, ofB] = paired(a, b, metric);
  return ofA.length === 0 ? undefined : compare(ofA, ofB);
}

/** Every strategy less the first, on each metric: the difference, its 95% interval and p-value. */
export function comparisonRows(measured: readonly Measured[], metrics: readonly string[]): Row[] {
  const [base, ...others] = measured;
  if (base === undefined) return [];
  return others.flatMap((other) =>
    metrics.flatMap((metric) => {
      const found = compareOn(other, base, metric);
      if (found === undefined) return [];
      const name = `${other.name} - ${base.name}`;
      return [
        { name, metric, value: found.difference, unit: "points" },
        { name, metric: `${metric} low`, value: found.low, unit: "points" },
        { name, metric: `${metric} high`, value: found.high, unit: "points" },
        { name, metric: `${metric} p`, value: found.p, unit: "p" },
      ];
    }),
  );
}
