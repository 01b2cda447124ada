import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

/** Packages that only benches compare with: bench/peers has its own lockfile. */
const PEERS = new URL("../../../../bench/peers/", import.meta.url);

/** Installs the packages of bench/peers where they are absent. Returns why not, if not. */
export function installPeers(): string | undefined {
  if (existsSync(new URL("node_modules/sqlite-vec", PEERS))) return undefined;
  process.stderr.write("Installing the packages of bench/peers ...\n");
  const npm = spawnSync("npm", ["ci"], { cwd: PEERS, encoding: "utf8" });
  return npm.status === 0 ? undefined : `npm ci in bench/peers failed: ${npm.stderr}`;
}

/** Loads one of them. */
export function requirePeer(name: string): unknown {
  return createRequire(new URL("package.json", PEERS))(name);
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
