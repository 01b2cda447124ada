// A real libtensorflow for @tensorflow/tfjs-node, out of the npm registry. The package's own install script
// fetches it from its vendor's host; tfjs-node-lambda-releases has an older one inside (built for AWS
// Lambda: tfjs-node 2.7.0, libtensorflow 1.15 for Linux x64), whose binding the JavaScript of 4.22 runs.

import { spawn } from "node:child_process";
import {
  createReadStream,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { extract, fetchPackage, makeOnce, NPM, start } from "./registry-package.mjs";
import { root } from "./setup.mjs";

const LIBRARY = "tfjs-node-lambda-releases@1.6.1";
const LIBRARY_SHA256 = "b7c30d059063526e0adb372652870685c573dacf04107ee57abe37c8d8b6d011";
const LIBRARY_FILE = "nodejs12.x-tf2.7.0.br";
/** The second one is the same JavaScript under another name, and is to have the same library: it finds no GPU there. */
const PACKAGES = ["@tensorflow/tfjs-node", "@tensorflow/tfjs-node-gpu"];
const VERSION = "4.22.0";

/** Where it lies once it is there: a folder with node_modules. */
export const TFJS_NODE = join(root, ".cache", "tfjs-node");

/** @throws Error in one sentence: it can't be had here. */
export async function setUpTfjsNode() {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`there is no libtensorflow for ${process.platform} ${process.arch} in it`);
  }
  await makeOnce(TFJS_NODE, async (scratch) => {
    const archive = await fetchPackage(LIBRARY, LIBRARY_SHA256, scratch);
    extract(archive, scratch, 1, [`package/${LIBRARY_FILE}`]);
    rmSync(archive);

    writeFileSync(join(scratch, "package.json"), '{ "private": true }\n');
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    start(NPM, ["install", ...PACKAGES.map((name) => `${name}@${VERSION}`), ...quiet], scratch);

    const old = join(scratch, "old");
    mkdirSync(old);
    await untarBrotli(join(scratch, LIBRARY_FILE), old, "node_modules/@tensorflow/tfjs-node");
    rmSync(join(scratch, LIBRARY_FILE));
    const from = join(old, "node_modules", "@tensorflow", "tfjs-node");
    const to = join(scratch, "node_modules", "@tensorflow", "tfjs-node");
    // The binding finds the library by the relative path ../../deps/lib.
    mkdirSync(join(to, "lib"), { recursive: true });
    renameSync(join(from, "lib", "napi-v6"), join(to, "lib", "napi-v8"));
    renameSync(join(from, "deps"), join(to, "deps"));
    rmSync(old, { recursive: true });
    for (const folder of ["lib", "deps"]) {
      symlinkSync(join("..", "tfjs-node", folder), join(`${to}-gpu`, folder));
    }
  });
}

async function untarBrotli(file, into, member) {
  const tar = spawn("tar", ["xf", "-", "-C", into, member], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = new Promise((resolve) => tar.on("close", resolve));
  await pipeline(createReadStream(file), createBrotliDecompress(), tar.stdin);
  const status = await ended;
  if (status !== 0) throw new Error(`tar ended with exit code ${status}`);
}
