// `npm run bench -- NAME ...`: builds what is stale, then hands over to bench/run.ts.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** The time of the newest file under the given files and folders, in ms. */
function newest(...paths) {
  let latest = 0;
  for (const path of paths) {
    const full = join(root, path);
    if (!existsSync(full)) continue;
    const files = statSync(full).isDirectory()
      ? readdirSync(full, { recursive: true }).map((name) => join(full, String(name)))
      : [full];
    for (const file of files) latest = Math.max(latest, statSync(file).mtimeMs);
  }
  return latest;
}

/** Runs a program of node_modules; its output goes to stderr, as stdout is for the results. */
function build(script, ...args) {
  const { status, error } = spawnSync(
    process.execPath,
    [join(root, "node_modules", script), ...args],
    {
      cwd: root,
      stdio: ["ignore", 2, 2],
    },
  );
  if (error !== undefined) process.stderr.write(`bench: ${error.message}\n`);
  if (status !== 0) process.exit(1);
}

if (!existsSync(join(root, "node_modules", "typescript"))) {
  process.stderr.write("bench: the dependencies are not installed: run `npm install` first\n");
  process.exit(2);
}
if (newest("native", "CMakeLists.txt") > newest("build/Release/dentate.node")) {
  build("cmake-js/bin/cmake-js", "compile");
}
if (newest("src", "bench", "test", "examples") > newest("build/js/.tsbuildinfo")) {
  build("typescript/bin/tsc", "-p", "test");
}

// npm changes to the package's folder; paths on the command line are relative to the caller's.
const cwd = process.env.npm_lifecycle_event === "bench" ? process.env.INIT_CWD : undefined;
const { status, signal } = spawnSync(
  process.execPath,
  [...process.execArgv, join(root, "build/js/bench/run.js"), ...process.argv.slice(2)],
  { cwd: cwd ?? process.cwd(), stdio: "inherit" },
);
process.exit(status ?? (signal === "SIGINT" ? 130 : 1));
