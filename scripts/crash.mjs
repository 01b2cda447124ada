// npm run crash -- [--rounds N] [--seed S]: sets up what is missing, then kills a writer N times
// (test/crash/crash.ts).

import { join } from "node:path";
import { buildTests, root, run, setUp } from "./lib/setup.mjs";

setUp();
buildTests();
run(process.execPath, [join(root, "build/js/test/crash/main.js"), ...process.argv.slice(2)]);
