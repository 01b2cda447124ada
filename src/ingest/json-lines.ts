import type { Turn } from "../types.js";
import { IngestError } from "./ingest-error.js";
import { parseJson } from "./json.js";
import { turnFromRecord } from "./turn-record.js";

/**
 * One turn a line; empty lines are passed over.
 *
 * @throws {@link IngestError} with the line's number.
 */
export function readJsonLines(text: string, name: string): Turn[] {
  const turns: Turn[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    turns.push(turnFromRecord(parseJson(line, name, index + 1), `${name}, line ${index + 1}`));
  }
  if (turns.length === 0) throw new IngestError(`${name}: an empty conversation`);
  return turns;
}
