import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Packages that only benches compare with: each folder has its own lockfile. */
const FOLDERS = {
  peers: new URL("../../../../bench/peers/", import.meta.url),
  /** Memory engines: far larger, and wanted by one bench alone. */
  engines: new URL("../../../../bench/peers/engines/", import.meta.url),
} as const;

export type PeerFolder = keyof typeof FOLDERS;

/** Installs the packages of a folder where they are absent. Returns why not, if not. */
export function installPeers(folder: PeerFolder = "peers"): string | undefined {
  const cwd = FOLDERS[folder];
  if (existsSync(new URL("node_modules/.package-lock.json", cwd))) return undefined;
  process.stderr.write(`Installing the packages of ${fileURLToPath(cwd)} ...\n`);
  const npm = spawnSync("npm", ["ci"], { cwd, encoding: "utf8" });
  if (npm.status === 0) return undefined;
  return `npm ci in ${fileURLToPath(cwd)} failed: ${npm.error?.message ?? npm.stderr}`;
}

/** Loads one of them. */
export function requirePeer(name: string, folder: PeerFolder = "peers"): unknown {
  return createRequire(new URL("package.json", FOLDERS[folder]))(name);
}

/** What is used of better-sqlite3. */
export interface Statement {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}
export interface Database {
  exec(sql: string): void;
  pragma(source: string): unknown;
  prepare(sql: string): Statement;
  close(): void;
}

export function openDatabase(path: string): Database {
  const Constructor = requirePeer("better-sqlite3") as new (path: string) => Database;
  return new Constructor(path);
}
