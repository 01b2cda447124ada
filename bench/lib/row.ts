import type { Command } from "commander";

/** One measured number. `metric` names what was measured, `unit` what it is counted in. */
export interface Row {
  /** What was measured: a structure, a strategy, a library beside ours, with its size. */
  readonly name: string;
  /** Which of its properties, for example `rank`, `recall-p99` or `evidence-complete@2600`. */
  readonly metric: string;
  readonly value: number;
  /** For example `ns`, `ms`, `ops/s`, `bytes/symbol`, `%`, `ratio`. */
  readonly unit: string;
}

/** What every suite is given; its own options, as `configure` declares them, come beside these. */
export interface SuiteOptions {
  /** A smaller size that ends in seconds: to see that a suite works, not to quote. */
  readonly quick: boolean;
}

/** A module bench/NAME.ts: the exports that bench/run.ts looks for. */
export interface Suite {
  /** Declares the suite's own options on its command. */
  configure?(command: Command): void;
  /**
   * Measures. Progress belongs on stderr.
   *
   * @throws {@link UsageError} where an option's value makes no sense.
   */
  run(options: SuiteOptions): Promise<Row[]>;
}

/** A mistake of the person at the terminal: printed as one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
