// npm run test:adapters: installs the packages of test/adapters/peers, which cannot live beside the
// project's own, and runs the tests of adapters with them. None of their install scripts run.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./lib/setup.mjs";

const peers = join(root, "test", "adapters", "peers");

if (!existsSync(join(peers, "node_modules", ".package-lock.json"))) {
  process.stderr.write("Installing the packages of test/adapters/peers ...\n");
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["ci", "--prefix", peers, ...flags]);
}
run(process.execPath, [join("scripts", "test.mjs"), "adapters"], {
  env: { MEM0_TELEMETRY: "false" },
});
