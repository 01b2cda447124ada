import type { Report } from "./report.js";
import { type Row, UsageError } from "./row.js";
import { formatValue, table } from "./table.js";

const key = (row: Row) => JSON.stringify([row.name, row.metric, row.unit]);

/**
 * Two runs of a suite side by side, the second over the first as a ratio. Rows that only one of
 * them has are shown too, without a ratio.
 *
 * @throws {@link UsageError} where the runs are not of the same suite.
 */
export function compare(a: Report, b: Report): string {
  if (a.suite !== b.suite) {
    throw new UsageError(`cannot compare a run of "${a.suite}" with one of "${b.suite}"`);
  }
  const other = new Map(b.rows.map((row) => [key(row), row]));
  const lines = [["name", "metric", "A", "B", "B / A", "unit"]];
  for (const row of a.rows) {
    const twin = other.get(key(row));
    other.delete(key(row));
    lines.push([
      row.name,
      row.metric,
      formatValue(row.value),
      twin === undefined ? "-" : formatValue(twin.value),
      twin === undefined || row.value === 0 ? "-" : (twin.value / row.value).toFixed(3),
      row.unit,
    ]);
  }
  for (const row of other.values()) {
    lines.push([row.name, row.metric, "-", formatValue(row.value), "-", row.unit]);
  }
  const where = (label: string, run: Report) =>
    `${label}  commit ${run.commit}, ${run.date}, ${run.machine.cpu}, node ${run.machine.node}, kernel ${run.machine.kernel}\n`;
  const note =
    JSON.stringify(a.machine) === JSON.stringify(b.machine)
      ? ""
      : "The runs are of different machines or kernels: ratios of times mean little.\n";
  return `${where("A", a)}${where("B", b)}${note}${table(lines, [false, false, true, true, true, false])}`;
}
