import { setTimeout } from "node:timers/promises";
import { DentateError, isDentateError } from "../errors.js";
import { expectInteger } from "../internal/check.js";
import { Memory } from "../memory.js";
import type { MemoryOptions } from "../memory-options.js";
import { Forwarder, WriterLost } from "./forwarder.js";
import type { Method } from "./protocol.js";
import { SharedBank } from "./shared-bank.js";
import { WriteServer } from "./writer.js";

/** How long to wait for a process that has the lock to listen, or to let go. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 25;
const LONGEST_PATIENCE_MS = 86_400_000;

/** How a shared store is opened. */
export interface SharedOptions extends MemoryOptions {
  /**
   * Milliseconds after which a write rejects with `DENTATE_UNAVAILABLE`, where the process that has
   * the lock says nothing, as one that was stopped; 30,000 unless given. A write that it works on may take longer.
   */
  readonly writerTimeout?: number | undefined;
}

type Role =
  | { readonly kind: "writer"; readonly server: WriteServer }
  | { readonly kind: "forwarder"; readonly forwarder: Forwarder };

/**
 * A store that several processes read and write, as MCP servers do, one for each of a user's
 * programs. One of them holds its lock and takes the others' writes over a local socket; everybody
 * reads for itself. When it goes, or is killed, another takes its place; what was acknowledged is on
 * disk by then, and what was not is looked for before it is sent again.
 */
export class SharedMemory implements AsyncDisposable {
  readonly #directory: string;
  readonly #options: MemoryOptions;
  readonly #writerTimeout: number;
  #memory: Memory;
  #role: Role;
  #changing: Promise<void> | undefined;
  #isClosed = false;
  /** What this process read before it became the writer. */
  #left: Memory | undefined;
  /**
   * The entries that this process was told of, as `bank/id`, the latest of them: what looks for a lost
   * write passes them over, since two writes may say the same in the same millisecond.
   *
   * @internal
   */
  readonly acknowledged = new Set<string>();

  private constructor(
    directory: string,
    options: MemoryOptions,
    writerTimeout: number,
    { memory, role }: { readonly memory: Memory; readonly role: Role },
  ) {
    this.#directory = directory;
    this.#options = options;
    this.#writerTimeout = writerTimeout;
    this.#memory = memory;
    this.#role = role;
  }

  /**
   * Opens the store, as its writer where the lock is free.
   *
   * @throws DentateError as `Memory.open`; `DENTATE_LOCKED` where who has the lock does not share it.
   */
  static async open(directory: string, options: SharedOptions = {}): Promise<SharedMemory> {
    const { writerTimeout = PATIENCE_MS, ...rest } = options;
    const timeout = expectInteger("options.writerTimeout", writerTimeout, 1, LONGEST_PATIENCE_MS);
    const joined = await join(directory, rest, timeout, undefined);
    return new SharedMemory(directory, rest, timeout, joined);
  }

  /** Whether this process is the one that writes. */
  get isWriter(): boolean {
    return this.#role.kind === "writer";
  }

  /** The bank of this name; it need not hold anything. */
  bank(name: string): SharedBank {
    return new SharedBank(this, name);
  }

  /** The names of the banks. */
  async banks(): Promise<string[]> {
    return (await this.fresh()).banks();
  }

  /**
   * For reading: what every process has acknowledged by now is in it. It is another object after this
   * process became the writer.
   *
   * @internal
   */
  async fresh(): Promise<Memory> {
    await this.#changing;
    if (this.#role.kind === "forwarder") await this.#memory.refresh();
    return this.#memory;
  }

  /**
   * Writes here or where the lock is.
   *
   * @param find Looks whether an attempt whose answer was lost came through; its result, if so.
   * @internal
   */
  async write<T>(
    bank: string,
    method: Method,
    args: readonly unknown[],
    find: () => Promise<T | undefined>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      if (this.#isClosed) throw new DentateError("DENTATE_CLOSED", "the memory is closed");
      await this.#changing;
      const role = this.#role;
      if (attempt > 0) {
        if (role.kind === "forwarder") await this.#memory.refresh();
        const found = await find();
        if (found !== undefined) return found;
      }
      if (role.kind === "writer") {
        const of = this.#memory.bank(bank) as unknown as Record<string, (...args: unknown[]) => T>;
        return await of[method]!(...args);
      }
      try {
        const result = (await role.forwarder.send(bank, method, args)) as T;
        // What was acknowledged is in this process's next recall, too.
        await this.#memory.refresh();
        return result;
      } catch (error) {
        if (!(error instanceof WriterLost)) throw error;
        // Closing cut it off: who is closed must not become the writer.
        if (this.#isClosed) continue;
        await this.#rejoin(role);
      }
    }
  }

  /** Lets go of the lock, or of who has it; writes under way reject. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Whoever waits for a takeover hears of it when it fails.
    await this.#changing?.catch(() => undefined);
    const role = this.#role;
    if (role.kind === "forwarder") role.forwarder.close();
    else role.server.leave();
    // The lock first: who is cut off before it is free would only have to wait for it.
    await Promise.all([this.#memory.close(), this.#left?.close()]);
    if (role.kind === "writer") await role.server.close();
  }

  /** {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The writer is gone: takes its place, or finds who has. */
  async #rejoin(lost: Role): Promise<void> {
    if (this.#role !== lost) return;
    this.#changing ??= (async () => {
      try {
        const before = this.#memory;
        const { memory, role } = await join(
          this.#directory,
          this.#options,
          this.#writerTimeout,
          before,
        );
        this.#memory = memory;
        this.#role = role;
        // Recalls that are under way go on in it; there is one at most, since a writer stays one.
        if (memory !== before) this.#left = before;
      } finally {
        this.#changing = undefined;
      }
    })();
    await this.#changing;
  }
}

/** Becomes the writer where the lock is free, or else a reader that knows the writer. */
async function join(
  directory: string,
  options: MemoryOptions,
  writerTimeout: number,
  reader: Memory | undefined,
): Promise<{ memory: Memory; role: Role }> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      const memory = await Memory.open(directory, options);
      try {
        // Another of this process has the same lock, and its socket must stay.
        const forwarder = await Forwarder.connect(directory, writerTimeout);
        if (forwarder !== undefined) {
          await memory.close();
          return {
            memory: reader ?? (await openReader(directory, options)),
            role: { kind: "forwarder", forwarder },
          };
        }
        const server = await WriteServer.listen(memory, directory);
        return { memory, role: { kind: "writer", server } };
      } catch (error) {
        await memory.close();
        throw error;
      }
    } catch (error) {
      if (!isDentateError(error, "DENTATE_LOCKED")) throw error;
      const forwarder = await Forwarder.connect(directory, writerTimeout);
      if (forwarder !== undefined) {
        const memory = reader ?? (await openReader(directory, options));
        return { memory, role: { kind: "forwarder", forwarder } };
      }
      if (performance.now() > deadline) throw error;
    }
    await setTimeout(RETRY_MS);
  }
}

function openReader(directory: string, options: MemoryOptions): Promise<Memory> {
  return Memory.open(directory, { ...options, readOnly: true });
}
