// npm run soak -- [--minutes N] [--seed S]: sets up what is missing, then keeps services under load, killing
// some of them, and compares (test/soak/soak.ts).

import { join } from "node:path";
import { buildTests, root, run, setUp } from "./lib/setup.mjs";

setUp();
buildTests();
run(process.execPath, [join(root, "build/js/test/soak/main.js"), ...process.argv.slice(2)]);
