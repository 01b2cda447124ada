import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));

/** A process of `dentate serve` that listens. */
export interface ServedStore {
  readonly url: string;
  readonly child: ChildProcess;
  /** How it ended: its exit code, or the signal that killed it. */
  readonly ended: Promise<number | string>;
}

/** Starts `dentate serve` on a free port; what it says of errors goes to this process's. */
export async function serveStore(
  directory: string,
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): Promise<ServedStore> {
  const command = [...nodeArgs, MAIN, "serve", directory, "--port", "0", ...args];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const line = once(createInterface(child.stdout!), "line") as Promise<[string]>;
  const first = await Promise.race([line, ended]);
  if (!Array.isArray(first)) throw new Error(`dentate serve ended with ${first}`);
  return { url: first[0].replace(/^.* is served at /, ""), child, ended };
}
