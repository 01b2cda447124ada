// node scripts/gpu-pieces.mjs FILE: builds everything, and packs what a bare checkout lacks to run
// bench/gpu.sh on a machine without a network (Linux x64): this Node, the packages that the accelerators,
// their tests and their bench need, and what was compiled. FILE is a .tar.xz to be unpacked in the
// repository's root; bench/gpu.sh does that where it finds it as .gpu/pieces.tar.xz.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { buildTests, fail, root, run, setUp } from "./lib/setup.mjs";

/** Packages that are used there besides the dependencies; those that are not installed are left out. */
const PACKAGES = [
  "@tensorflow/tfjs-backend-cpu",
  "@tensorflow/tfjs-backend-wasm",
  "@tensorflow/tfjs-core",
  "benchmark",
  "fast-check",
  "gpu.js",
  "hdr-histogram-js",
  "webgpu",
];
/** Files that no program reads, and binaries of other systems. */
const LEFT_OUT = [
  "*.map",
  "*.d.ts",
  "*.tsbuildinfo",
  "darwin-*.node",
  "win32-*.node",
  "node_modules/gl",
];
/** What is compiled, where it is. */
const PROGRAMS = ["limits_bench", "device_limits_bench", "cuda_bench"];
const BUILT = [
  "build/js",
  "build/Release",
  ...PROGRAMS.map((name) => `build-bench/bench/native/${name}`),
];
/** Where a real libtensorflow for GPUs was put, if it was. */
const TFJS_NODE_GPU = ".cache/tfjs-node-gpu";
const OWN = ".gpu";

const file = process.argv[2];
if (file === undefined) fail("usage: node scripts/gpu-pieces.mjs FILE", 2);

setUp();
buildTests();
run("cmake", ["-S", ".", "-B", "build-bench", "-DDENTATE_BENCH=ON"], { quiet: true });
run("cmake", ["--build", "build-bench", "--target", ...PROGRAMS], { quiet: true });

const own = join(root, OWN);
rmSync(join(own, "bin"), { recursive: true, force: true });
rmSync(join(own, "lib"), { recursive: true, force: true });
mkdirSync(join(own, "bin"), { recursive: true });
mkdirSync(join(own, "lib"), { recursive: true });
cpSync(process.execPath, join(own, "bin", "node"));
const loader = vulkanLoader();
if (loader !== undefined) cpSync(loader, join(own, "lib", "libvulkan.so.1"));

const pieces = [
  `${OWN}/bin`,
  `${OWN}/lib`,
  ...packagesWithDependencies(),
  ...[...BUILT, TFJS_NODE_GPU].filter((path) => existsSync(join(root, path))),
];
const target = resolve(file);
mkdirSync(dirname(target), { recursive: true });
const excluded = LEFT_OUT.map((pattern) => `--exclude=${pattern}`);
run("tar", ["--create", "--dereference", "--xz", "--file", target, ...excluded, ...pieces], {
  env: { XZ_OPT: "-T0 -6" },
});
process.stdout.write(`${relative(process.cwd(), target)}: ${pieces.length} pieces\n`);

/** Folders of node_modules, with what they depend on; optional dependencies where they are installed. */
function packagesWithDependencies() {
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const folders = new Set();
  const waiting = [...Object.keys(own.dependencies), ...PACKAGES].map((name) => [root, name]);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = folderOf(...next);
    if (folder === undefined || folders.has(folder)) continue;
    folders.add(folder);
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, folder, "package.json"), "utf8"),
    );
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      waiting.push([join(root, folder), name]);
    }
  }
  // A folder inside another one is packed with it.
  return [...folders].filter(
    (folder) => !dirname(folder).includes("node_modules/") || isScoped(folder),
  );
}

/** As Node looks for it: in the folders called node_modules from here upwards. */
function folderOf(from, name) {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return relative(root, candidate);
  }
  return undefined;
}

function isScoped(folder) {
  return /^node_modules\/@[^/]+\/[^/]+$/.test(folder);
}

/** The library through which `webgpu` finds drivers: not every machine with a GPU has it. */
function vulkanLoader() {
  const { stdout } = spawnSync("ldconfig", ["-p"], { encoding: "utf8" });
  const line = stdout?.split("\n").find((text) => /libvulkan\.so\.1 \(.*x86-64/.test(text));
  return line?.split(" => ")[1];
}
