import type { Bank } from "../bank.js";
import type { Conversation } from "../ingest/conversation.js";
import { IngestError } from "../ingest/ingest-error.js";
import { readConversations } from "../ingest/read-conversations.js";
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

/** The bank to ask: the one named, or the file's only one. */
export function chooseBank({ memory, conversations }: Loaded, name: string | undefined): Bank {
  const names = conversations.map(({ id }) => id);
  if (name === undefined && names.length === 1) return memory.bank(names[0]!);
  if (name !== undefined && names.includes(name)) return memory.bank(name);
  throw new IngestError(
    `${name === undefined ? "the file has several conversations: choose one with --conversation" : `no conversation "${name}"`} (${names.join(", ")})`,
  );
}
