import type { Bank } from "../bank.js";
import type { Conversation } from "../ingest/conversation.js";
import { IngestError } from "../ingest/ingest-error.js";
import { Memory } from "../memory.js";
import { startProgress } from "./progress.js";

/** Turns a call of addMany: large enough to be cheap, small enough for the bar to move. */
const BATCH_TURNS = 256;

/** A file's conversations, each in a bank of its own name. */
export interface Loaded {
  readonly memory: Memory;
  readonly conversations: readonly Conversation[];
  /** Time spent adding, reading the file left out. */
  readonly addMs: number;
}

/**
 * Reads a whole file, then adds it to a memory of this process. A file with a mistake anywhere
 * leaves nothing: the memory is closed and the error thrown.
 */
export async function loadFile(path: string): Promise<Loaded> {
  const { readConversations } = await import("../ingest/read-conversations.js");
  const conversations = await readConversations(path);
  const memory = await Memory.open({ inMemory: true });
  const total = conversations.reduce((sum, { turns }) => sum + turns.length, 0);
  const progress = startProgress("adding", total);
  try {
    const start = performance.now();
    for (const { id, turns } of conversations) {
      const bank = memory.bank(id);
      for (let first = 0; first < turns.length; first += BATCH_TURNS) {
        await addBatch(bank, turns.slice(first, first + BATCH_TURNS), id, first);
        progress.advance(Math.min(BATCH_TURNS, turns.length - first));
      }
    }
    return { memory, conversations, addMs: performance.now() - start };
  } catch (error) {
    await memory.close();
    throw error;
  } finally {
    progress.stop();
  }
}

async function addBatch(bank: Bank, turns: Conversation["turns"], id: string, first: number) {
  try {
    await bank.addMany(turns);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new IngestError(`conversation "${id}", turns from ${first + 1}: ${error.message}`, {
      cause: error,
    });
  }
}

/** The one of `names` that was chosen, or the only one there is; `what` says what each is. */
export function chooseName(
  names: readonly string[],
  name: string | undefined,
  what: ChoiceOf,
): string {
  if (name === undefined && names.length === 1) return names[0]!;
  if (name !== undefined && names.includes(name)) return name;
  const problem =
    name === undefined
      ? `${what.place} has ${names.length === 0 ? "no" : "several"} ${what.kind}s: choose one with --${what.kind}`
      : `no ${what.kind} "${name}" in ${what.place}`;
  const shown = names.slice(0, MOST_SHOWN).join(", ") + (names.length > MOST_SHOWN ? ", ..." : "");
  throw new IngestError(names.length === 0 ? problem : `${problem} (${shown})`);
}

interface ChoiceOf {
  readonly kind: "bank" | "conversation";
  readonly place: string;
}

const MOST_SHOWN = 10;
