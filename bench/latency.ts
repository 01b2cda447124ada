// What a query costs: the three costs of the Hippocampus paper (tokens of the packed text, search time,
// total time) for each strategy and SIMD kernel, with the breakdown of its Figure 4, and the figures
// that others published beside them. Those were taken on other machines, with a language model in the
// total: they are marked, and not to be divided by ours.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, Option } from "commander";
import { STRATEGIES, type StrategyName } from "../src/recall/strategies.js";
import { list, oneOf, positiveInteger } from "./lib/options.js";
import { readReport } from "./lib/report.js";
import type { Row, SuiteOptions } from "./lib/row.js";
import { endpointFromEnvironment } from "./llm/client.js";
import { DATASETS, type DatasetName, readDataset } from "./quality/datasets.js";
import { publishedRows } from "./quality/published.js";
import { type Selection, select } from "./quality/share.js";
import { costsOf } from "./quality/stage-costs.js";

const KERNELS = ["scalar", "avx2", "avx512", "neon"] as const;

export interface LatencyOptions extends SuiteOptions, Selection {
  readonly dataset: DatasetName;
  readonly path: string;
  readonly dialogues?: string;
  readonly strategies: readonly StrategyName[];
  readonly budget: number;
  readonly kernels?: readonly (typeof KERNELS)[number][];
  readonly llm?: string;
}

const QUICK_LIMIT = 60;

export function configure(command: Command): void {
  command
    .addOption(
      new Option("--dataset <name>", "layout of the data").choices(DATASETS).makeOptionMandatory(),
    )
    .requiredOption("--path <path>", "the labelled conversations: a file, or a folder of files")
    .option("--dialogues <file>", "LoCoMo's own file, for locomo-plus")
    .option("--strategies <names>", `of ${STRATEGIES.join(", ")}`, list(oneOf(STRATEGIES)), [
      "hybrid",
      "hippocampus",
    ] as StrategyName[])
    .option("--budget <tokens>", "the paper's queries had 1,306 tokens", positiveInteger, 1300)
    .option(
      "--kernels <names>",
      `of ${KERNELS.join(", ")}; the machine's best unless given`,
      (text) => list(oneOf(KERNELS))(text),
    )
    .option("--limit <n>", "only so many questions, evenly spaced", positiveInteger)
    .option("--llm <model>", "also have this model of OPENAI_BASE_URL answer: part of the total");
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { kernels, ...rest } = options as LatencyOptions;
  if (kernels !== undefined)
    return [...kernels.flatMap((k) => underKernel(k, rest)), ...publishedRows()];
  const limit = rest.limit ?? (options.quick ? QUICK_LIMIT : undefined);
  const { dialogues } = rest;
  const read = { pieceChars: 800, ...(dialogues === undefined ? {} : { dialogues }) };
  const data = select(readDataset(rest.dataset, rest.path, read), { limit });
  const model = rest.llm === undefined ? undefined : endpointFromEnvironment(rest.llm);
  const rows = await costsOf(data, rest.strategies, rest.budget, model);
  return [...rows, ...publishedRows()];
}

/** The kernel is chosen when the addon is loaded: another kernel is another process. */
function underKernel(kernel: string, options: Omit<LatencyOptions, "kernels">): Row[] {
  const folder = mkdtempSync(join(tmpdir(), "dentate-latency-"));
  try {
    const json = join(folder, "report.json");
    const own = Object.entries(options).flatMap(([name, value]) =>
      value === false ? [] : value === true ? [`--${name}`] : [`--${name}`, String(value)],
    );
    const script = fileURLToPath(new URL("run.js", import.meta.url));
    const { status, stderr } = spawnSync(
      process.execPath,
      [script, "latency", ...own, "--json", json],
      { encoding: "utf8", env: { ...process.env, DENTATE_KERNEL: kernel } },
    );
    if (status !== 0) {
      process.stderr.write(
        `latency: kernel ${kernel} is left out: ${stderr.trim().split("\n")[0]}\n`,
      );
      return [];
    }
    const { rows } = readReport(json);
    return rows
      .filter(({ name }) => !name.includes("not run here"))
      .map((row) => ({ ...row, name: `${row.name} [${kernel}]` }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
