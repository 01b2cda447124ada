import type { EventStore } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** Of a session; an answer of 100 memories is seldom longer than a tenth of it. */
const MOST_EVENTS = 64;
const MOST_LENGTH = 1024 * 1024;

interface Kept {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly length: number;
}

/**
 * What a session sent of late, so that a client whose connection broke gets the answers that it missed. The
 * oldest are forgotten: who asks for what came after one of those hears that it is not there, and asks
 * its question again.
 */
export class SessionEvents implements EventStore {
  /** By id, oldest first. */
  readonly #kept = new Map<string, Kept>();
  #length = 0;
  #next = 1;

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = String(this.#next++);
    const { length } = JSON.stringify(message);
    this.#kept.set(id, { stream, message, length });
    this.#length += length;
    for (const [oldest, event] of this.#kept) {
      if (this.#kept.size <= MOST_EVENTS && this.#length <= MOST_LENGTH) break;
      this.#kept.delete(oldest);
      this.#length -= event.length;
    }
    return Promise.resolve(id);
  }

  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#kept.get(id)?.stream);
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = this.#kept.get(last)?.stream ?? "";
    let isAfter = false;
    for (const [id, event] of [...this.#kept]) {
      if (isAfter && event.stream === stream) await send(id, event.message);
      if (id === last) isAfter = true;
    }
    return stream;
  }
}
