// npm run test:package: makes the package, installs it into an empty project, and uses it there.

import { join } from "node:path";
import { buildTests, root, run } from "./lib/setup.mjs";

run("npm", ["run", "--silent", "pack"]);
buildTests();
run(process.execPath, ["--test", join(root, "build", "js", "test", "package", "installed.js")]);
