import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { Bank } from "../bank.js";
import { isDentateError } from "../errors.js";
import type { Memory } from "../memory.js";
import {
  type Answer,
  eachLine,
  METHODS,
  PING,
  type Request,
  socketPath,
  toAnswerError,
} from "./protocol.js";

/** Takes the writes of other processes, while this one holds the store's lock. */
export class WriteServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #left: Promise<void> | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(memory: Memory, directory: string): Promise<WriteServer> {
    const path = socketPath(directory);
    // Whoever left it there held the lock before, and is gone.
    if (process.platform !== "win32") rmSync(path, { force: true });
    const server = createServer();
    const served = new WriteServer(server);
    server.on("connection", (socket) => served.#serve(socket, memory));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
    });
    // Those who wait for answers keep a process alive, not one who offers them.
    server.unref();
    return served;
  }

  /**
   * Lets nobody in any more, and frees the socket's path: while this process has the lock still, since
   * afterwards the path is the next one's.
   */
  leave(): void {
    this.#left ??= new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** Cuts everybody off: they look for the next one. */
  close(): Promise<void> {
    this.leave();
    for (const socket of this.#sockets) socket.destroy();
    return this.#left!;
  }

  #serve(socket: Socket, memory: Memory): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    void eachLine(socket, (line) => {
      void this.#answer(line, memory).then((answer) => {
        if (answer === undefined) socket.destroy();
        else if (!socket.destroyed) socket.write(`${JSON.stringify(answer)}\n`);
      });
    });
  }

  /** Undefined where there is nothing to say but that this is not who it was taken for: who asked looks further. */
  async #answer(line: string, memory: Memory): Promise<Answer | undefined> {
    let request: Request;
    try {
      request = JSON.parse(line) as Request;
      if (!Array.isArray(request.args)) return undefined;
    } catch {
      return undefined;
    }
    const { id, bank, method, args } = request;
    if ((method as string) === PING.method) return { id, result: null };
    try {
      if (!METHODS.includes(method)) throw new TypeError(`method: no "${method}" here`);
      const of = memory.bank(bank) as unknown as Record<string, (...args: unknown[]) => unknown>;
      return { id, result: await of[method satisfies keyof Bank]!(...args) };
    } catch (error) {
      // This process stops, and the store goes on elsewhere.
      if (isDentateError(error, "DENTATE_CLOSED")) return undefined;
      return { id, error: toAnswerError(error) };
    }
  }
}
