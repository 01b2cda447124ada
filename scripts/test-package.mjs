// npm run test:package: makes the package, installs it into empty projects, and uses it there: as several
// versions of Node.js, package managers and bundlers (test/package/tools) have it.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildTests, root, run } from "./lib/setup.mjs";

const tools = join(root, "test", "package", "tools");

if (!existsSync(join(tools, "node_modules", ".package-lock.json"))) {
  process.stderr.write("Installing the packages of test/package/tools ...\n");
  run("npm", ["ci", "--prefix", tools, "--ignore-scripts", "--loglevel=error"]);
}
run("npm", ["run", "--silent", "pack"]);
buildTests();
const tests = ["installed", "layouts", "bundles"];
run(process.execPath, [
  "--test",
  ...tests.map((name) => join(root, "build", "js", "test", "package", `${name}.js`)),
]);
