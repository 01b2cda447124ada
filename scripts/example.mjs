// npm run example [-- NAME]: sets up what is missing, then runs all examples, a line each, or one and
// shows all that it prints. An example is examples/NAME.ts, NAME.cjs or NAME/main.ts, and fails if what
// it shows isn't so.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { buildTests, fail, root, run, setUp } from "./lib/setup.mjs";

/** What there is: names, and the program that each is. */
function findExamples() {
  const examples = new Map();
  const compiled = join(root, "build", "js", "examples");
  for (const entry of readdirSync(join(root, "examples"), { withFileTypes: true })) {
    const { name, ext } = parse(entry.name);
    if (ext === ".ts") examples.set(name, join(compiled, `${name}.js`));
    if (ext === ".cjs") examples.set(name, join(root, "examples", entry.name));
    if (!entry.isDirectory() || !existsSync(join(root, "examples", name, "main.ts"))) continue;
    examples.set(name, join(compiled, name, "main.js"));
  }
  return examples;
}

const name = process.argv[2];
const examples = findExamples();
if (name !== undefined && !examples.has(name)) {
  fail(`there is no example "${name}": ${[...examples.keys()].join(", ")}`, 2);
}
setUp();
buildTests();
if (name !== undefined) {
  run(process.execPath, [examples.get(name)]);
} else {
  const failed = [];
  for (const [title, program] of examples) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
      cwd: root,
      encoding: "utf8",
      timeout: 120_000,
    });
    const last = stdout.trimEnd().split("\n").at(-1);
    process.stdout.write(`${title}: ${status === 0 ? last : "failed"}\n`);
    if (status === 0) continue;
    process.stderr.write(stdout + stderr);
    failed.push(title);
  }
  if (failed.length > 0) fail(`these examples failed: ${failed.join(", ")}`);
}
