// npm run licences [-- --write]: that every package that is installed with this one has a permissive licence,
// and that THIRD-PARTY-NOTICES.md names them all. --write puts them there.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PERMISSIVE, productionPackages } from "./lib/production-packages.mjs";
import { fail, root } from "./lib/setup.mjs";

const path = join(root, "THIRD-PARTY-NOTICES.md");
const HEADING = "| package | version | licence |\n|---|---|---|\n";

const packages = productionPackages();
const refused = packages.filter(({ licence }) => !PERMISSIVE.has(licence));
if (refused.length > 0) {
  fail(`not permissive: ${refused.map(({ name, licence }) => `${name} (${licence})`).join(", ")}`);
}
const rows = packages.map(
  ({ name, versions, licence }) => `| ${name} | ${[...versions].join(", ")} | ${licence} |\n`,
);
const text = readFileSync(path, "utf8");
const wanted = `${text.slice(0, text.indexOf(HEADING))}${HEADING}${rows.join("")}`;
if (process.argv.includes("--write")) writeFileSync(path, wanted);
else if (text !== wanted)
  fail("THIRD-PARTY-NOTICES.md is out of date: npm run licences -- --write");
process.stdout.write(`${packages.length} packages, all with permissive licences\n`);
