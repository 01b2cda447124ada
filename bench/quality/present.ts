import { lineChart, type Series } from "../lib/chart.js";
import type { Row } from "../lib/row.js";
import { asMarkdown } from "../lib/table.js";
import { interval } from "./bootstrap.js";
import type { Measured } from "./measure.js";

/** `metric@budget` for each headline and budget that was measured. */
export function headlineMetrics(
  measured: readonly Measured[],
  headlines: readonly string[],
  budgets: readonly number[],
): string[] {
  const all = headlines.flatMap((headline) =>
    headline.includes("@") ? [headline] : budgets.map((budget) => `${headline}@${budget}`),
  );
  return all.filter((metric) => measured.some(({ means }) => means.values(metric).size > 0));
}

/** The 95% intervals of the strategies' headline metrics. */
export function intervalRows(measured: readonly Measured[], metrics: readonly string[]): Row[] {
  return measured.flatMap(({ name, means }) =>
    metrics.flatMap((metric) => {
      const values = [...means.values(metric).values()];
      if (values.length === 0) return [];
      const { low, high } = interval(values);
      const unit = means.unit(metric);
      return [
        { name, metric: `${metric} low`, value: low, unit },
        { name, metric: `${metric} high`, value: high, unit },
      ];
    }),
  );
}

/** A table for docs: a line a strategy, with each headline's mean and 95% interval. */
export function markdownTable(measured: readonly Measured[], metrics: readonly string[]): string {
  const lines = measured.map(({ name, means, recall }) => {
    const cells = metrics.map((metric) => {
      const values = [...means.values(metric).values()];
      if (values.length === 0) return "–";
      const { low, high } = interval(values);
      return `${means.mean(metric)!.toFixed(1)} (${low.toFixed(1)}–${high.toFixed(1)})`;
    });
    const p50 = recall.percentile(50);
    return [name, ...cells, p50 === undefined ? "–" : p50.toFixed(2)];
  });
  return asMarkdown(["strategy", ...metrics, "recall p50, ms"], lines);
}

/** The first headline against the mean tokens of the packed text, a line a strategy. */
export function qualityChart(
  title: string,
  measured: readonly Measured[],
  headline: string,
  budgets: readonly number[],
): string {
  const series = measured.map(({ name, means }): Series => {
    const points = budgets.flatMap((budget) => {
      const values = [...means.values(`${headline}@${budget}`).values()];
      const x = means.mean(`tokens@${budget}`);
      if (x === undefined || values.length === 0) return [];
      return [{ x, y: means.mean(`${headline}@${budget}`)!, ...interval(values) }];
    });
    return { name, points: points.sort((a, b) => a.x - b.x) };
  });
  return lineChart(
    series.filter(({ points }) => points.length > 0),
    { title, x: "tokens of the packed text, mean", y: `${headline}, %` },
  );
}
