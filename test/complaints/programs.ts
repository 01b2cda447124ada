import { spawnSync } from "node:child_process";

/** Where an entry point's compiled code is: `index.js`, `structures/index.js`. */
export const entryPoint = (path: string) => new URL(`../../src/${path}`, import.meta.url).href;

export interface Ended {
  readonly code: number | null;
  /** What ended it from outside, such as SIGSEGV; null: nothing did. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** Of Node.js. */
  readonly flags?: readonly string[];
  readonly argv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs an ES module in a process of its own, until it ends. `Memory` and `isDentateError` are there. */
export function runProgram(
  source: string,
  { flags = [], argv = [], env = {} }: ProgramOptions = {},
): Ended {
  const program = `import { Memory, isDentateError } from ${JSON.stringify(entryPoint("index.js"))};\n${source}`;
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, "--input-type=module", "--eval", program, ...argv],
    { encoding: "utf8", env: { ...process.env, ...env } },
  );
  return { code: status, signal, stdout, stderr };
}
