// npm start: sets up what is missing, then runs the main job on the bundled conversation.

import { join } from "node:path";
import { root, run, setUp } from "./lib/setup.mjs";

setUp();
run(process.execPath, [join(root, "dist", "cli", "main.js"), "demo", ...process.argv.slice(2)]);
