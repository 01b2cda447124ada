// What every command of this repository needs first: Node packages, the addon, the compiled
// TypeScript. Plain Node, since nothing is installed yet when it runs.

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Prints one sentence and stops. */
export function fail(sentence, code = 1) {
  process.stderr.write(`${sentence}\n`);
  process.exit(code);
}

/** Runs a command in the repository's root, its output shown; stops when it fails. */
export function run(command, args, { env = {}, quiet = false } = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
    encoding: "utf8",
  });
  if (result.error !== undefined) fail(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0) {
    if (quiet) process.stderr.write(`${result.stdout}${result.stderr}`);
    const how = result.signal === null ? `exit code ${result.status}` : `signal ${result.signal}`;
    fail(`${[command, ...args].join(" ")} failed (${how})`, result.status ?? 1);
  }
  return result.stdout;
}

/** Whether a program can be started. */
export function has(command) {
  return spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0;
}

/** The program of an installed package, run by this Node. */
export function runPackage(name, script, args, options) {
  run(process.execPath, [join(root, "node_modules", name, script), ...args], options);
}

function checkTools() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24)) {
    fail(`Dentate needs Node.js 20.19, 22.12, 24 or newer; this is ${process.versions.node}.`);
  }
  if (!has("cmake")) {
    fail("Dentate needs CMake 3.20 or newer: install it (Debian: apt-get install cmake).");
  }
  const compilers = [process.env.CXX, "c++", "g++", "clang++"].filter((name) => name);
  if (process.platform !== "win32" && !compilers.some(has)) {
    fail("Dentate needs a C++20 compiler: install g++ or clang++ (Debian: apt-get install g++).");
  }
}

/** The latest modification under some paths, in milliseconds; 0 where there is nothing. */
function newest(paths) {
  let latest = 0;
  for (const path of paths) {
    if (!existsSync(path)) continue;
    const stat = statSync(path);
    if (stat.isDirectory()) {
      latest = Math.max(latest, newest(readdirSync(path).map((name) => join(path, name))));
    } else {
      latest = Math.max(latest, stat.mtimeMs);
    }
  }
  return latest;
}

function install() {
  const modules = lstatSync(join(root, "node_modules"), { throwIfNoEntry: false });
  if (modules?.isSymbolicLink()) return; // somebody else's to change: npm ci would empty it
  const installed = join(root, "node_modules", ".package-lock.json");
  if (newest([installed]) >= newest([join(root, "package-lock.json")])) return;
  process.stderr.write("Installing the packages of package-lock.json ...\n");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // Some optional peers fetch binaries from their own hosts when installed; none is needed here.
  run(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    env: { ONNXRUNTIME_NODE_INSTALL: "skip" },
  });
}

/** Builds the addon where a source of it is newer than the binary. */
function buildNative() {
  const sources = ["native", "CMakeLists.txt"].map((name) => join(root, name));
  const binary = join(root, "build", "Release", "dentate.node");
  if (newest([binary]) >= newest(sources)) return;
  process.stderr.write("Building the native addon ...\n");
  runPackage("cmake-js", "bin/cmake-js", ["compile"], { quiet: true });
}

/** Compiles `src` into `dist` where it changed. */
function buildTypeScript() {
  const sources = ["src", "tsconfig.json", "package.json"].map((name) => join(root, name));
  if (newest([join(root, "dist")]) >= newest(sources)) return;
  process.stderr.write("Compiling TypeScript ...\n");
  runPackage("typescript", "bin/tsc", ["-p", "."]);
}

/** Compiles `src`, `test`, `bench` and `examples` into `build/js`. */
export function buildTests() {
  runPackage("typescript", "bin/tsc", ["-p", "test"]);
}

/** Tools, packages, addon and `dist`: whatever of these is missing or out of date. */
export function setUp() {
  checkTools();
  install();
  buildNative();
  buildTypeScript();
}
