// npm test [-- PATTERN]: sets up what is missing, then runs all tests: C++ (ctest), then TypeScript
// (node:test). A pattern keeps the TypeScript test files whose path contains it, and no C++.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fetchMiniLm, fetchTfjsMiniLm } from "./lib/minilm.mjs";
import { buildTests, fail, has, root, run, setUp } from "./lib/setup.mjs";

const pattern = process.argv[2];

/** The C++ tests, in a build folder of their own: cmake-js owns build/. */
function testNative() {
  const doctest = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"].some((path) =>
    existsSync(join(path, "doctest", "doctest.h")),
  );
  if (!doctest) {
    const sentence = "doctest is missing (Debian: apt-get install doctest-dev)";
    if (process.env.CI !== undefined) fail(`${sentence}: the C++ tests cannot run.`);
    process.stderr.write(`Skipping the C++ tests: ${sentence}.\n`);
    return;
  }
  const folder = "build-native";
  const generator = has("ninja") ? ["-G", "Ninja"] : [];
  run("cmake", ["-S", ".", "-B", folder, ...generator, "-DDENTATE_TESTS=ON"], { quiet: true });
  run("cmake", ["--build", folder, "--parallel", "2"], { quiet: true });
  run("ctest", ["--test-dir", folder, "--parallel", "2", "--output-on-failure"]);
}

async function testTypeScript() {
  rmSync(join(root, "build", "js", "test"), { recursive: true, force: true });
  rmSync(join(root, "build", "js", ".tsbuildinfo"), { force: true });
  buildTests();
  const files = readdirSync(join(root, "build", "js", "test"), { recursive: true })
    .filter((name) => name.endsWith(".test.js"))
    .filter((name) => pattern === undefined || name.includes(pattern))
    .map((name) => join("build", "js", "test", name))
    .sort();
  if (files.length === 0) fail(`no test file's path contains "${pattern}"`, 2);
  if (files.some((file) => file.includes("embed"))) await fetchModels();
  // Without it Node leaves one processor idle: of two, half.
  const concurrency = `--test-concurrency=${availableParallelism()}`;
  run(process.execPath, ["--test", concurrency, "--test-reporter=spec", ...files]);
}

/** The tests that run a real model skip themselves where it is not there. */
async function fetchModels() {
  for (const fetchModel of [fetchMiniLm, fetchTfjsMiniLm]) {
    try {
      await fetchModel();
    } catch (error) {
      process.stderr.write(`Skipping the tests that run a model: ${error.message}\n`);
    }
  }
}

setUp();
if (pattern === undefined) testNative();
await testTypeScript();
