// Libraries that go to other machines: the addon and the CUDA plugin.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, statSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fail, root, run } from "./setup.mjs";

/** A C library older than this can't load what we publish: Debian 12, Ubuntu 22.04, RHEL 9 have it. */
const NEWEST_GLIBC = [2, 34];

/** Copies a library without its symbols; fails where it needs what another machine may not have. */
export function placeLibrary(source, path) {
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(source, path);
  chmodSync(path, 0o644);
  if (process.platform !== "linux") return;
  run("strip", ["--strip-unneeded", path]);
  const { stdout } = spawnSync("objdump", ["-p", path], { encoding: "utf8" });
  const needed = [...stdout.matchAll(/NEEDED +(\S+)/g)].map(([, name]) => name);
  const foreign = needed.filter((name) => /stdc\+\+|libcuda/.test(name));
  if (foreign.length > 0) fail(`${path} is not whole: it needs ${foreign.join(", ")}`);
  const newest = [...stdout.matchAll(/GLIBC_(\d+)\.(\d+)/g)]
    .map(([, major, minor]) => [Number(major), Number(minor)])
    .sort(([a, b], [c, d]) => c - a || d - b)[0] ?? [0, 0];
  if (
    newest[0] > NEWEST_GLIBC[0] ||
    (newest[0] === NEWEST_GLIBC[0] && newest[1] > NEWEST_GLIBC[1])
  ) {
    fail(`${path} needs glibc ${newest.join(".")}, newer than ${NEWEST_GLIBC.join(".")}`);
  }
  process.stderr.write(
    `${relative(root, path)}: ${statSync(path).size} bytes, glibc ${newest.join(".")}, ${needed.join(", ")}\n`,
  );
}
