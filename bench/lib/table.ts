import colors from "picocolors";
import type { Report } from "./report.js";
import type { Row } from "./row.js";

/** Four significant digits, without an exponent, and thousands kept apart. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude >= 1000) return Math.round(value).toLocaleString("en-US");
  if (Number.isInteger(value)) return String(value);
  const digits = Math.max(0, 3 - Math.floor(Math.log10(magnitude)));
  return value.toFixed(Math.min(digits, 6));
}

/** A plain table: the first line is the header; numbers (`right`) are aligned at their ends. */
export function table(lines: readonly (readonly string[])[], right: readonly boolean[]): string {
  const widths = right.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  const text = lines.map((line) =>
    line
      .map((cell, column) =>
        right[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  return `${[colors.bold(text[0] ?? ""), ...text.slice(1)].join("\n")}\n`;
}

/** A table in Markdown: numbers, all but the first column, at their ends. */
export function asMarkdown(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  return `${row(head)}${row(head.map((_, i) => (i === 0 ? "---" : "---:")))}${lines.map(row).join("")}`;
}

/** A report for the terminal: where it ran, then its rows. */
export function reportTable(content: Report): string {
  const { cpu, cores, memoryGiB, node, kernel } = content.machine;
  const head = `${content.suite}: ${cpu}, ${cores} cores, ${memoryGiB} GiB, node ${node}, kernel ${kernel}, commit ${content.commit}`;
  return `${colors.dim(head)}\n${rowTable(content.rows)}`;
}

function rowTable(rows: readonly Row[]): string {
  return table(
    [
      ["name", "metric", "value", "unit"],
      ...rows.map((row) => [row.name, row.metric, formatValue(row.value), row.unit]),
    ],
    [false, false, true, false],
  );
}
