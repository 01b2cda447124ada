import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DentateError } from "../errors.js";
import { packageFolder } from "../package.js";
import { addonCandidates, hostName } from "./addon-path.js";
import { isCutOff, libraryHost } from "./library-file.js";

/**
 * Why there is no addon, and what to do. These are the only messages that give advice, and they are long: who
 * reads them has just installed the package.
 */
const REINSTALL =
  "reinstall dentate on this machine (node_modules of another system don't work), " +
  "or build the addon as docs/install.md says";
const BUILD = "build the addon on this machine as docs/install.md says";

export function missingAddon(): DentateError {
  const looked = addonCandidates().map((candidate) => `'${candidate}'`);
  const there = publishedHosts();
  const cure =
    there.length === 0 || there.includes(hostName())
      ? REINSTALL
      : `the package has those for ${there.join(", ")}; ${BUILD}`;
  return unavailable(
    `the native addon for ${hostName()} is missing: looked for ${looked.join(" and ")}; ${cure}`,
  );
}

/** @param cause What Node said. Its first line at least, since an error of ours may be all that is printed. */
export function brokenAddon(path: string, cause: unknown): DentateError {
  const said = cause instanceof Error ? cause.message.split("\n")[0]! : String(cause);
  return unavailable(
    `the native addon '${path}' cannot be loaded on ${hostName()}: ${explain(path, said)}`,
    cause,
  );
}

function explain(path: string, said: string): string {
  const bytes = statSync(path).size;
  const host = libraryHost(path);
  if (isCutOff(path)) return `it is cut off (${bytes} bytes); ${REINSTALL}`;
  if (host === undefined) return `it is no library (${bytes} bytes); ${REINSTALL}`;
  if (host !== `${process.platform}-${process.arch}`) return `it is for ${host}; ${REINSTALL}`;
  const glibc = /version [`'](GLIBC_[\d.]+)' not found/.exec(said)?.[1];
  if (glibc !== undefined) {
    return `it needs ${glibc}, this system has ${glibcVersion() ?? "another C library"}; use a newer system image, or ${BUILD}`;
  }
  if (/ld-linux|libc\.so\.6/.test(said)) return `it is for glibc (${said}); ${BUILD}`;
  if (/ld-musl|libc\.musl/.test(said)) return `it is for musl (${said}); ${REINSTALL}`;
  if (/NAPI version|Node-API/i.test(said)) {
    return `${said}; use Node.js 20.19, 22.12, 24 or newer`;
  }
  return `${said}; ${REINSTALL}`;
}

/** Whose C library this process runs with, such as "glibc 2.36"; undefined where it is no glibc. */
export function glibcVersion(): string | undefined {
  const report = process.report as
    | (NodeJS.ProcessReport & { excludeNetwork?: boolean })
    | undefined;
  if (process.platform !== "linux" || report === undefined) return undefined;
  // Else it looks up the names of all sockets' other ends, and takes seconds.
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  try {
    const { header } = report.getReport() as unknown as {
      header?: { glibcVersionRuntime?: string };
    };
    return header?.glibcVersionRuntime && `glibc ${header.glibcVersionRuntime}`;
  } finally {
    report.excludeNetwork = before ?? false;
  }
}

/** The systems whose addons came with the package. */
function publishedHosts(): readonly string[] {
  try {
    const names = readdirSync(join(packageFolder(), "prebuilds"));
    return names.map((name) => name.replace(/^dentate-/, "")).sort();
  } catch {
    return [];
  }
}

function unavailable(message: string, cause?: unknown): DentateError {
  return new DentateError("DENTATE_UNAVAILABLE", message, { cause });
}
