// The bench runner behind `npm run bench -- NAME [--json FILE] [--quick] [suite options]` and
// `npm run bench -- compare A.json B.json`.
//
// Rows go to stdout as a table, progress to stderr, and with --json a whole report (machine,
// commit, options, rows) to a file. Exit code 0, 2 for a mistake at the terminal, 1 for a failure.

import { Command, CommanderError } from "commander";
import { compare } from "./lib/compare.js";
import { readReport, report, writeReport } from "./lib/report.js";
import { type SuiteOptions, UsageError } from "./lib/row.js";
import { loadSuite, SUITES } from "./lib/suites.js";
import { reportTable } from "./lib/table.js";

function usage(): string {
  const width = Math.max(...Object.keys(SUITES).map((name) => name.length));
  const suites = Object.entries(SUITES).map(([name, what]) => `  ${name.padEnd(width)}  ${what}\n`);
  return `Usage: npm run bench -- NAME [--json FILE] [--quick] [options of the suite]
       npm run bench -- NAME --help
       npm run bench -- compare A.json B.json

Suites:
${suites.join("")}`;
}

async function runSuite(name: string, args: readonly string[]): Promise<void> {
  const suite = await loadSuite(name);
  const command = new Command(`npm run bench -- ${name}`)
    .description(SUITES[name] ?? "")
    .option("--json <file>", "also write the report to this file")
    .option("--quick", "a smaller size that ends in seconds", false)
    .allowExcessArguments(false)
    .exitOverride();
  suite.configure?.(command);
  command.parse(args, { from: "user" });
  const { json, ...options } = command.opts<SuiteOptions & { json?: string }>();
  const result = report(name, { ...options }, await suite.run(options));
  process.stdout.write(reportTable(result));
  if (json !== undefined) writeReport(json, result);
}

function runCompare(args: readonly string[]): void {
  const [a, b] = args;
  if (a === undefined || b === undefined || args.length !== 2) {
    throw new UsageError("compare takes two reports: compare A.json B.json");
  }
  process.stdout.write(compare(readReport(a), readReport(b)));
}

async function main(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined) throw new UsageError(`a suite is needed\n${usage()}`);
  if (name === "--help" || name === "-h") process.stdout.write(usage());
  else if (name === "compare") runCompare(rest);
  else await runSuite(name, rest);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong; --help arrives here too, with exit code 0.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else if (error instanceof UsageError) {
    process.stderr.write(`bench: ${error.message}\n`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`bench: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  }
}
