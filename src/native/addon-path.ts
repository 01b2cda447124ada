import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { packageFolder } from "../package.js";

/**
 * Where the addon is. The first of these that exists is loaded, and nothing is searched for further:
 *
 * 1. the file that `DENTATE_ADDON` names, for a program that is bundled into one file
 * 2. `build/Release/dentate.node`: whoever built it here wants that one
 * 3. `prebuilds/dentate-<platform>-<arch>[-musl]/node-napi-v9.node`: what is published, in the
 *    layout of pkg-prebuilds
 *
 * A binary for glibc cannot be loaded with musl nor the other way round, and Node says the same
 * "linux" of both, hence the suffix.
 */
export function addonCandidates(): readonly string[] {
  const forced = process.env["DENTATE_ADDON"];
  if (forced !== undefined && forced !== "") return [resolve(forced)];
  const folder = packageFolder();
  return [
    join(folder, "build", "Release", "dentate.node"),
    join(folder, "prebuilds", `dentate-${hostName()}`, "node-napi-v9.node"),
  ];
}

/** The one of {@link addonCandidates} that exists; undefined where none does. */
export function addonPath(): string | undefined {
  return addonCandidates().find((path) => existsSync(path));
}

/** What a binary has to be built for, such as "linux-x64" or "linux-arm64-musl". */
export function hostName(): string {
  return `${process.platform}-${process.arch}${runsOnMusl() ? "-musl" : ""}`;
}

/** By what is mapped into this process: no program has to be started, nor the network be read. */
function runsOnMusl(): boolean {
  if (process.platform !== "linux") return false;
  try {
    return readFileSync("/proc/self/maps", "latin1").includes("/ld-musl-");
  } catch {
    return false;
  }
}
