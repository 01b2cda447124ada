import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { DentateError, type ErrorCode, isDentateError } from "../errors.js";
import { readLines } from "../transfer/lines.js";

/**
 * How processes that share a store talk: the one that holds its lock listens, the others send it their
 * writes. A message is a line of JSON; requests are numbered by who sends them, and answered in any
 * order.
 */
export const METHODS = ["add", "addMany", "update", "delete", "deleteWhere"] as const;
export type Method = (typeof METHODS)[number];
/** Asks whether anybody is there, while a write takes its time. Nothing else has the number 0. */
export const PING = { id: 0, bank: "", method: "ping", args: [] } as const;

export interface Request {
  readonly id: number;
  readonly bank: string;
  readonly method: Method;
  readonly args: readonly unknown[];
}

export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly name: string; readonly code?: string; readonly message: string };
}

/**
 * The socket of a store: in a folder that only its user may enter, by the hash of the store's real path,
 * since a socket's path may not be long.
 *
 * @throws {@link DentateError} `DENTATE_IO` where the folder is somebody else's.
 */
export function socketPath(directory: string): string {
  const hash = createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 32);
  if (process.platform === "win32") return `\\\\.\\pipe\\dentate-${hash}`;
  const { uid } = userInfo();
  const folder = join(process.env["XDG_RUNTIME_DIR"] ?? tmpdir(), `dentate-${uid}`);
  mkdirSync(folder, { mode: 0o700, recursive: true });
  // Not statSync: a link of somebody else's may lead to a folder that is this user's.
  const facts = lstatSync(folder);
  const { uid: owner, mode } = facts;
  if (!facts.isDirectory() || owner !== uid || (mode & 0o077) !== 0) {
    throw new DentateError("DENTATE_IO", `${folder} is open to others`);
  }
  return join(folder, `${hash}.sock`);
}

/** Each line that comes, until the other side is gone or makes no sense: then it is cut off. */
export async function eachLine(socket: Socket, work: (line: string) => void): Promise<void> {
  try {
    for await (const line of readLines(socket as AsyncIterable<Uint8Array>)) work(line);
  } catch {
    socket.destroy();
  }
}

export function toAnswerError(error: unknown): NonNullable<Answer["error"]> {
  const { name, message } = error as Error;
  return { name, message, ...(isDentateError(error) && { code: error.code }) };
}

/** The error as the other process threw it. */
export function fromAnswerError({ name, code, message }: NonNullable<Answer["error"]>): Error {
  if (code !== undefined) return new DentateError(code as ErrorCode, message);
  if (name === "RangeError") return new RangeError(message);
  if (name === "TypeError") return new TypeError(message);
  return new DentateError("DENTATE_INTERNAL", message);
}
