import { lineChart, type Series, stackedCharts } from "../lib/chart.js";
import { asMarkdown, formatValue } from "../lib/table.js";
import type { Measurement } from "./cell.js";
import { type Crossover, crossoverOf } from "./crossover.js";

/** A table for docs: a line a workload and size, a column an accelerator, the median and its ratio to `native`. */
export function markdownTable(measurements: readonly Measurement[]): string {
  const names = namesOf(measurements);
  const cells = grouped(
    measurements,
    ({ workload, size }) => `${workload.name} | ${size.toLocaleString("en-US")}`,
  );
  return asMarkdown(
    ["operation", "rows", ...names.map((name) => `${name}, ms`)],
    [...cells].map(([title, own]) => {
      const native = medianOf(own, "native");
      const values = names.map((name) => {
        const median = medianOf(own, name);
        if (median === undefined) return "–";
        const ratio =
          native === undefined || name === "native" ? "" : ` (${ratioText(median / native)})`;
        return `${formatValue(median)}${ratio}`;
      });
      return [...title.split(" | "), ...values];
    }),
  );
}

/** A chart a workload: the median call over the rows, both in powers of ten. */
export function charts(measurements: readonly Measurement[]): string {
  const byWorkload = grouped(measurements, ({ workload }) => workload.name);
  return stackedCharts(
    [...byWorkload].map(([title, own]) => {
      const series = namesOf(own).map((name): Series => {
        const points = own
          .filter(({ accelerator }) => accelerator.name === name)
          .map(({ size, calls }) => ({ x: size, y: calls.percentile(50)! }));
        return { name, points };
      });
      return lineChart(series, { title, x: "rows", y: "median call, ms", powersOfTen: true });
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

function medianOf(cell: readonly Measurement[], name: string): number | undefined {
  return cell.find(({ accelerator }) => accelerator.name === name)?.calls.percentile(50);
}

const ratioText = (ratio: number) => (ratio < 10 ? ratio.toFixed(2) : Math.round(ratio).toString());
