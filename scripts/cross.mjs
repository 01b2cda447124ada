// node scripts/cross.mjs HOST: the addon for another system, built on this one with scripts/toolchains/HOST.cmake
// into prebuilds/dentate-HOST/, the C++ runtime inside; `npm run pack` then takes it along. docs/install.md says
// what of it has been run.

import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fail, root, run } from "./lib/setup.mjs";

const host = process.argv[2] ?? "";
const toolchain = join(root, "scripts", "toolchains", `${host}.cmake`);
if (!existsSync(toolchain))
  fail(`usage: node scripts/cross.mjs HOST, and there is no ${toolchain}`);

const require = createRequire(import.meta.url);
const headers = require("node-api-headers");
const { include } = require("node-addon-api");
const folder = join(root, `build-${host}`);
mkdirSync(folder, { recursive: true });

const options = {
  CMAKE_TOOLCHAIN_FILE: toolchain,
  CMAKE_BUILD_TYPE: "Release",
  DENTATE_STATIC_RUNTIME: "ON",
  DENTATE_CUDA: "OFF",
  CMAKE_JS_INC: `${headers.include_dir};${include.replaceAll('"', "")}`,
};
if (host.startsWith("win32-")) {
  // What Windows wants to know of functions that are Node's: who has them.
  options.CMAKE_JS_LIB = join(folder, "libnode.a");
  const { node_api_def } = headers.def_paths;
  run("x86_64-w64-mingw32-dlltool", ["-d", node_api_def, "-l", options.CMAKE_JS_LIB]);
}
const defined = Object.entries(options).map(([name, value]) => `-D${name}=${value}`);
run("cmake", ["-S", root, "-B", folder, ...defined]);
run("cmake", ["--build", folder, "--target", "dentate", "-j2"]);

const target = join(root, "prebuilds", `dentate-${host}`, "node-napi-v9.node");
mkdirSync(dirname(target), { recursive: true });
copyFileSync(join(folder, "Release", "dentate.node"), target);
process.stderr.write(`${relative(root, target)}: ${statSync(target).size} bytes\n`);
