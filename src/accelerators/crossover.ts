import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus, homedir } from "node:os";
import { dirname, join } from "node:path";
import { isPlainObject } from "../internal/check.js";
import { packageVersion } from "../package.js";
import { OPERATIONS, type Operation } from "./accelerator.js";
import type { Accelerator } from "./checked.js";

/**
 * From which size of an operation on an accelerator is faster than the engine's own kernels: measured
 * once per machine, and kept in the user's cache folder. What is measured depends on the CPU, the device, this
 * package and Node; each combination has its own entry. A file that can't be read, or is none of ours, is
 * as if it were not there, and one that can't be written is not written: a cache is not worth an error.
 */
export type Crossovers = Partial<Record<Operation, number>>;

const FORMAT = 1;
/** Entries of machines and versions, of which the oldest are forgotten. */
const MOST_ENTRIES = 64;

/** What was measured of it on this machine, if it was. Infinity: it never pays. */
export function measuredCrossovers(accelerator: Accelerator): Crossovers | undefined {
  return readAll().get(keyOf(accelerator));
}

/** Keeps what was measured, for the processes to come. */
export function keepCrossovers(accelerator: Accelerator, crossovers: Crossovers): void {
  const all = readAll();
  const key = keyOf(accelerator);
  all.delete(key);
  all.set(key, crossovers);
  const newest = [...all].slice(-MOST_ENTRIES).map(([of, found]) => [of, toJson(found)]);
  const path = crossoverPath();
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Whole or not at all, whoever else writes at the same time.
    const written = `${path}.${process.pid}`;
    const text = JSON.stringify({ format: FORMAT, crossovers: Object.fromEntries(newest) });
    writeFileSync(written, `${text}\n`);
    renameSync(written, path);
  } catch {
    // A folder that is only read: it is measured again when it is next asked for.
  }
}

/** Where it is kept. */
export function crossoverPath(): string {
  const given = process.env["XDG_CACHE_HOME"];
  const folder = given === undefined || given === "" ? join(homedir(), ".cache") : given;
  return join(folder, "dentate", "crossovers.json");
}

function keyOf({ name, device }: Accelerator): string {
  const processors = cpus();
  const cpu = `${processors[0]?.model.trim() ?? process.arch} x ${processors.length}`;
  return [name, device, cpu, packageVersion(), process.version].join(" | ");
}

/** By key, oldest first. */
function readAll(): Map<string, Crossovers> {
  const all = new Map<string, Crossovers>();
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(crossoverPath(), "utf8"));
  } catch {
    return all;
  }
  if (!isPlainObject(read) || read["format"] !== FORMAT) return all;
  const { crossovers } = read;
  if (!isPlainObject(crossovers)) return all;
  for (const [key, value] of Object.entries(crossovers)) {
    if (isPlainObject(value)) all.set(key, fromJson(value));
  }
  return all;
}

/** JSON has no Infinity: null. */
function toJson(crossovers: Crossovers): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(crossovers).map(([of, work]) => [of, Number.isFinite(work) ? work : null]),
  );
}

function fromJson(read: Record<string, unknown>): Crossovers {
  const found: Crossovers = {};
  for (const operation of OPERATIONS) {
    const work = read[operation];
    if (work === null) found[operation] = Number.POSITIVE_INFINITY;
    else if (typeof work === "number" && work >= 0) found[operation] = work;
  }
  return found;
}
