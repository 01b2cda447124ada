import { lineChart, type Series, stackedCharts } from "../lib/chart.js";
import { asMarkdown, formatValue } from "../lib/table.js";
import type { Measurement } from "./cell.js";
import { type Crossover, crossoverOf } from "./crossover.js";

/** A table for docs: a line a workload and size, a column an accelerator, the best call and its ratio to `native`'s. */
export function markdownTable(measurements: readonly Measurement[]): string {
  const names = namesOf(measurements);
  const cells = grouped(
    measurements,
    ({ workload, size }) => `${workload.name} | ${size.toLocaleString("en-US")}`,
  );
  return asMarkdown(
    ["operation", "rows", ...names.map((name) => `${name}, ms`)],
    [...cells].map(([title, own]) => {
      const native = bestOf(own, "native");
      const values = names.map((name) => {
        const best = bestOf(own, name);
        if (best === undefined) return "–";
        const ratio =
          native === undefined || name === "native" ? "" : ` (${ratioText(best / native)})`;
        return `${formatValue(best)}${ratio}`;
      });
      return [...title.split(" | "), ...values];
    }),
  );
}

/** A chart a workload: the best call over the rows, both in powers of ten. */
export function charts(measurements: readonly Measurement[]): string {
  const byWorkload = grouped(measurements, ({ workload }) => workload.name);
  return stackedCharts(
    [...byWorkload].map(([title, own]) => {
      const series = namesOf(own).map((name): Series => {
        const points = own
          .filter(({ accelerator }) => accelerator.name === name)
          .map(({ size, calls }) => ({ x: size, y: calls.best! }));
        return { name, points };
      });
      return lineChart(series, { title, x: "rows", y: "best call, ms", powersOfTen: true });
    }),
  );
}

/** Of each workload and accelerator beside `native`. */
export function crossovers(
  measurements: readonly Measurement[],
): (Crossover & { readonly workload: string; readonly accelerator: string })[] {
  return [...grouped(measurements, ({ workload }) => workload.name)].flatMap(([workload, all]) =>
    namesOf(all).flatMap((accelerator) => {
      const of = (name: string) => all.filter((one) => one.accelerator.name === name);
      const found = crossoverOf(of(accelerator), of("native"));
      if (accelerator === "native" || found === undefined) return [];
      return [{ workload, accelerator, ...found }];
    }),
  );
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function namesOf(measurements: readonly Measurement[]): string[] {
  return [...new Set(measurements.map(({ accelerator }) => accelerator.name))];
}

function bestOf(cell: readonly Measurement[], name: string): number | undefined {
  return cell.find(({ accelerator }) => accelerator.name === name)?.calls.best;
}

const ratioText = (ratio: number) => (ratio < 10 ? ratio.toFixed(2) : Math.round(ratio).toString());
