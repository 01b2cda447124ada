// npm run pack: what would be published, in build/package: dentate-VERSION.tgz with the addon for this
// machine (scripts/prepack.mjs, which npm has run by now, made it), and where the CUDA plugin was built
// dentate-linux-x64-cuda-VERSION.tgz.

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placeLibrary } from "./lib/library.mjs";
import { root, run } from "./lib/setup.mjs";

const target = join(root, "build", "package");

function pack(folder) {
  const flags = ["--ignore-scripts", "--json", "--pack-destination", target];
  const [packed] = JSON.parse(run("npm", ["pack", folder, ...flags], { quiet: true }));
  const { filename, size, unpackedSize, entryCount } = packed;
  const path = join(target, filename);
  process.stdout.write(`${path}: ${size} bytes, ${unpackedSize} unpacked, ${entryCount} files\n`);
}

/** The plugin's version is the addon's, as the two have one interface. */
function packPlugin() {
  const plugin = join(root, "build", "Release", "dentate_cuda.so");
  const folder = join(root, "packages", "dentate-linux-x64-cuda");
  if (!existsSync(plugin) || process.platform !== "linux" || process.arch !== "x64") return;
  placeLibrary(plugin, join(folder, "dentate_cuda.so"));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  const path = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (manifest.version !== version) {
    writeFileSync(path, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
  }
  pack("./packages/dentate-linux-x64-cuda");
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
pack(".");
packPlugin();
