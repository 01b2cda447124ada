// npm run example [-- NAME]: sets up what is missing, then runs examples/NAME/main.ts.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildTests, fail, root, run, setUp } from "./lib/setup.mjs";

const name = process.argv[2] ?? "agent-loop";
if (!existsSync(join(root, "examples", name, "main.ts"))) fail(`there is no example "${name}"`, 2);
setUp();
buildTests();
run(process.execPath, [join(root, "build", "js", "examples", name, "main.js")]);
