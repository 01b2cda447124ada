import { connect, type Socket } from "node:net";
import {
  type Answer,
  eachLine,
  fromAnswerError,
  type Method,
  type Request,
  socketPath,
} from "./protocol.js";

/** The process that took the writes is gone before it answered: they may be stored, or not. */
export class WriterLost extends Error {
  override readonly name = "WriterLost";
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Sends writes to the process that holds the store's lock. */
export class Forwarder {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #isLost = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => socket.destroy());
    void eachLine(socket, (line) => this.#settle(line));
    socket.on("close", () => {
      this.#isLost = true;
      for (const { reject } of this.#waiting.values()) reject(new WriterLost("it is gone"));
      this.#waiting.clear();
    });
    socket.unref();
  }

  /** Undefined where nobody listens. */
  static connect(directory: string): Promise<Forwarder | undefined> {
    return new Promise((resolve) => {
      const socket = connect(socketPath(directory));
      socket.once("error", () => resolve(undefined));
      socket.once("connect", () => {
        socket.removeAllListeners("error");
        resolve(new Forwarder(socket));
      });
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** @throws {@link WriterLost}, or what the other process threw. */
  send(bank: string, method: Method, args: readonly unknown[]): Promise<unknown> {
    if (this.#isLost) return Promise.reject(new WriterLost("it is gone"));
    const request: Request = { id: this.#next++, bank, method, args };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#socket.ref();
      this.#socket.write(`${JSON.stringify(request)}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #settle(line: string): void {
    const { id, result, error } = JSON.parse(line) as Answer;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#socket.unref();
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(fromAnswerError(error));
  }
}
