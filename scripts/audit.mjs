// npm run audit: known vulnerabilities, moderate and above, of the packages that are installed with this one. A
// registry that keeps no such list is no reason to fail: then it says that nothing was asked.

import { spawnSync } from "node:child_process";
import { NPM } from "./lib/registry-package.mjs";
import { fail, root } from "./lib/setup.mjs";

const { stdout, stderr } = spawnSync(
  NPM,
  ["audit", "--omit=dev", "--audit-level=moderate", "--json"],
  { cwd: root, encoding: "utf8" },
);
const report = parse(stdout);
if (report?.vulnerabilities === undefined) {
  const why = report?.message ?? report?.error?.summary ?? stderr.trim().split("\n")[0];
  process.stdout.write(`skipped: the registry does not answer npm audit (${why})\n`);
} else {
  const counts = report.metadata.vulnerabilities;
  const serious = counts.moderate + counts.high + counts.critical;
  if (serious > 0) {
    const names = Object.values(report.vulnerabilities).map(
      ({ name, severity }) => `${name} (${severity})`,
    );
    fail(`known vulnerabilities: ${names.join(", ")}`);
  }
  process.stdout.write("no known vulnerability, moderate or above\n");
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
