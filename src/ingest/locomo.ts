import { parseDate } from "chrono-node/en";
import type { Turn } from "../types.js";
import type { Conversation } from "./conversation.js";
import { IngestError } from "./ingest-error.js";

/** The layout of the LoCoMo data set: `session_1`, `session_1_date_time`, … in one object. */
export interface LocomoRecord {
  readonly sample_id?: string;
  readonly conversation: Readonly<Record<string, unknown>>;
}

interface LocomoTurn {
  readonly speaker?: unknown;
  readonly dia_id?: unknown;
  readonly text?: unknown;
  readonly blip_caption?: unknown;
}

/** Whether a parsed file has LoCoMo's layout. */
export function isLocomo(value: unknown): value is readonly LocomoRecord[] {
  const first = Array.isArray(value) ? (value[0] as Partial<LocomoRecord> | null) : undefined;
  return typeof first?.conversation === "object" && first.conversation !== null;
}

/**
 * One conversation for each dialogue. A shared picture becomes ` [shares CAPTION]`; the data set's
 * turn id is kept in the metadata as `sourceId`. Its dates have no time zone and are read as UTC.
 *
 * @throws {@link IngestError} that names the dialogue and the session.
 */
export function readLocomo(value: readonly LocomoRecord[], name: string): Conversation[] {
  return value.map((record, index) => {
    if (typeof record?.conversation !== "object" || record.conversation === null) {
      throw new IngestError(`${name}, dialogue ${index + 1}: no conversation`);
    }
    const id = record.sample_id ?? `${index + 1}`;
    const turns: Turn[] = [];
    for (let number = 1; ; number++) {
      const session = record.conversation[`session_${number}`];
      const date = record.conversation[`session_${number}_date_time`];
      if (session === undefined && date === undefined) break;
      if (session === undefined) continue; // a date without a session occurs in the data
      const where = `${name}, dialogue "${id}", session ${number}`;
      if (!Array.isArray(session)) throw new IngestError(`${where}: not an array of turns`);
      const at = sessionDate(date, where);
      for (const turn of session) turns.push(readTurn(turn, number, at, where));
    }
    if (turns.length === 0) {
      throw new IngestError(`${name}, dialogue "${id}": an empty conversation`);
    }
    return { id, turns };
  });
}

function sessionDate(text: unknown, where: string): Date {
  // The reference only fixes the time zone: these dates are absolute ("1:56 pm on 8 May, 2023").
  const reference = { instant: new Date(0), timezone: 0 };
  const date = typeof text === "string" ? parseDate(text, reference) : null;
  if (date === null) throw new IngestError(`${where}: no date in ${JSON.stringify(text)}`);
  return date;
}

function readTurn(value: unknown, session: number, at: Date, where: string): Turn {
  const { speaker, dia_id: id, text, blip_caption: caption } = (value ?? {}) as LocomoTurn;
  if (typeof speaker !== "string" || typeof text !== "string") {
    throw new IngestError(`${where}: a turn without speaker or text`);
  }
  return {
    role: "user",
    speaker,
    session: `session_${session}`,
    at,
    content: typeof caption === "string" ? `${text} [shares ${caption}]` : text,
    metadata: typeof id === "string" ? { sourceId: id } : {},
  };
}
