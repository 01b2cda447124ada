// npm run bench -- NAME ...: sets up what is missing, then hands over to bench/run.ts.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildTests, root, setUp } from "./lib/setup.mjs";

setUp();
buildTests();

// npm changes to the package's folder; paths on the command line are relative to the caller's.
const cwd = process.env.npm_lifecycle_event === "bench" ? process.env.INIT_CWD : undefined;
const { status, signal } = spawnSync(
  process.execPath,
  [...process.execArgv, join(root, "build/js/bench/run.js"), ...process.argv.slice(2)],
  { cwd: cwd ?? process.cwd(), stdio: "inherit" },
);
process.exit(status ?? (signal === "SIGINT" ? 130 : 1));
