import type { Command } from "commander";
import { IngestError } from "../ingest/ingest-error.js";
import type { StoreFlags } from "./open-store.js";

/** Where a command works: on a directory, or on the service that has it open. */
export interface PlaceFlags extends StoreFlags {
  readonly url?: string;
}

/** Declares `NAME [DIRECTORY]` with `--url`: the service holds the lock of the store that it serves. */
export function placeCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument("[directory]", "the store, where no service has it open")
    .option("--url <service>", "ask the service there; DENTATE_API_KEY is an administrator's key")
    .option("--key-file <file>", "holds the key of an encrypted store: 32 bytes, or 64 hex digits");
}

/** @throws IngestError unless exactly one of the two is given. */
export function chooseDirectory(
  directory: string | undefined,
  { url }: PlaceFlags,
): string | undefined {
  if ((directory === undefined) === (url === undefined)) {
    throw new IngestError("a directory or --url is needed, and not both");
  }
  return directory;
}

/** Asks a service's route below `/v1/`. What it refuses is told in its own words. */
export async function askService<T>(
  url: string,
  method: "GET" | "POST",
  route: string,
  body?: object,
): Promise<T> {
  const key = process.env["DENTATE_API_KEY"];
  let answer: Response;
  try {
    answer = await fetch(new URL(`/v1/${route}`, url), {
      method,
      headers: {
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    const why = (cause as Error).cause ?? cause;
    throw new IngestError(`no service at ${url}: ${(why as Error).message}`, { cause });
  }
  const parsed = (await answer.json().catch(() => ({}))) as { error?: { message: string } };
  if (!answer.ok) {
    throw new IngestError(`${url}: ${parsed.error?.message ?? `answered ${answer.status}`}`);
  }
  return parsed as T;
}
