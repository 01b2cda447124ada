import { readFileSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { IngestError, unreadable } from "../ingest/ingest-error.js";
import type { KeyRing } from "../server/keys.js";

/** The flags of every command that listens. */
export interface ServiceFlags {
  readonly keys?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** @throws IngestError where it is no file of keys. */
export async function readKeys(file: string | undefined): Promise<KeyRing | undefined> {
  if (file === undefined) return undefined;
  const { KeyRing: Ring } = await import("../server/keys.js");
  const text = readInput(file).toString();
  try {
    return Ring.parse(text);
  } catch (cause) {
    throw new IngestError(`${file}: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Reads the file of keys again at each SIGHUP, so that one can be given or taken away while the service runs. A
 * file that makes no sense changes nothing.
 */
export function rereadKeys(file: string | undefined, keys: KeyRing | undefined): void {
  if (file === undefined || keys === undefined) return;
  process.on("SIGHUP", () => {
    try {
      keys.reread(readInput(file).toString());
      process.stdout.write(`${file} is read again: ${keys.size} keys\n`);
    } catch (error) {
      const why = (error as Error).message;
      process.stderr.write(`dentate: ${file}: the keys stay as they were: ${why}\n`);
    }
  });
}

/** @throws IngestError where one is there without the other. */
export function readTls({ tlsCert, tlsKey }: ServiceFlags) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new IngestError("--tls-cert and --tls-key go together");
  }
  return { cert: readInput(tlsCert), key: readInput(tlsKey) };
}

/** So many bytes of lines are written at once, or what there is after so long. */
const WRITTEN_BYTES = 4096;
const WRITTEN_AFTER_MS = 100;

/**
 * JSON lines on standard error, or another place: standard output says where the service is. They are
 * written a few at a time, since to write each takes longer than to make it; those that are left are
 * written when the process ends, unless it is killed.
 */
export async function makeLogger(place: number | string = 2) {
  const { pino } = await import("pino");
  const lines = pino.destination({
    dest: place,
    sync: true,
    minLength: WRITTEN_BYTES,
    periodicFlush: WRITTEN_AFTER_MS,
  });
  process.once("exit", () => {
    try {
      lines.flushSync();
    } catch {
      // Nobody takes them any more, and that is no reason to end otherwise.
    }
  });
  return pino(lines);
}

/** Resolves on SIGTERM or SIGINT. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}

export function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number.");
  return Number(text);
}

export function atLeastOne(text: string): number {
  const number = count(text);
  if (number === 0) throw new InvalidArgumentError("expected at least 1.");
  return number;
}

export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError("expected 0 to 65535.");
  return port;
}

function readInput(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}
