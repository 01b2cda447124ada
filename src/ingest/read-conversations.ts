import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { Conversation } from "./conversation.js";
import { isGeneric, readGeneric, readTurns } from "./generic.js";
import { IngestError, unreadable } from "./ingest-error.js";
import { parseJson } from "./json.js";
import { readJsonLines } from "./json-lines.js";
import { isLocomo, readLocomo } from "./locomo.js";
import { describe } from "./turn-record.js";

/**
 * Reads a file of turns: JSONL with one turn a line (`.jsonl`, `.ndjson`), or JSON that is an array
 * of turns, the generic layout `{ conversations: [...] }`, or LoCoMo's.
 *
 * @throws {@link IngestError} where the file is missing or none of these; nothing is returned then.
 */
export async function readConversations(path: string): Promise<Conversation[]> {
  const name = basename(path);
  const text = await readText(path);
  const extension = extname(path).toLowerCase();
  if (extension === ".jsonl" || extension === ".ndjson") {
    return [{ id: basename(path, extname(path)), turns: readJsonLines(text, name) }];
  }
  const value = parseJson(text, name);
  if (isGeneric(value)) return readGeneric(value, name);
  if (isLocomo(value)) return readLocomo(value, name);
  if (Array.isArray(value)) {
    return [{ id: basename(path, extname(path)), turns: readTurns(value, name) }];
  }
  throw new IngestError(
    `${name}: expected an array of turns, { "conversations": […] } or LoCoMo's layout, not ${describe(value)}`,
  );
}

async function readText(path: string): Promise<string> {
  try {
    // A byte order mark is an editor's, not the conversation's.
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
