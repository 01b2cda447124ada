import { connect, type Socket } from "node:net";
import { DentateError } from "../errors.js";
import {
  type Answer,
  eachLine,
  fromAnswerError,
  type Method,
  PING,
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

/** So often it is looked whether anybody answers, within the time that may pass without a word. */
const LOOKS = 4;

/**
 * Sends writes to the process that holds the store's lock. A write may take long, and one that waits for it
 * asks meanwhile whether the other is there; one that is stopped (SIGSTOP, a debugger, a suspended
 * machine) is not waited for without end.
 */
export class Forwarder {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #isLost = false;
  readonly #patienceMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** Looks since anything was heard: not a time, which passes while this process is stopped itself. */
  #silent = 0;

  private constructor(socket: Socket, patienceMs: number) {
    this.#socket = socket;
    this.#patienceMs = patienceMs;
    socket.on("error", () => socket.destroy());
    void eachLine(socket, (line) => this.#settle(line));
    socket.on("close", () => {
      this.#isLost = true;
      clearInterval(this.#timer);
      for (const { reject } of this.#waiting.values()) reject(new WriterLost("it is gone"));
      this.#waiting.clear();
    });
    socket.unref();
  }

  /** Undefined where nobody listens. */
  static connect(directory: string, patienceMs: number): Promise<Forwarder | undefined> {
    return new Promise((resolve) => {
      const socket = connect(socketPath(directory));
      socket.once("error", () => resolve(undefined));
      socket.once("connect", () => {
        socket.removeAllListeners("error");
        resolve(new Forwarder(socket, patienceMs));
      });
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * @throws {@link WriterLost}; {@link DentateError} `DENTATE_UNAVAILABLE` where the other is there and does not
   * answer; what it threw.
   */
  send(bank: string, method: Method, args: readonly unknown[]): Promise<unknown> {
    if (this.#isLost) return Promise.reject(new WriterLost("it is gone"));
    const request: Request = { id: this.#next++, bank, method, args };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#socket.ref();
      this.#watch();
      this.#socket.write(`${JSON.stringify(request)}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#silent = 0;
    this.#timer = setInterval(() => {
      if (this.#waiting.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      } else if (++this.#silent > LOOKS) this.#giveUp();
      else this.#socket.write(`${JSON.stringify(PING)}\n`);
    }, this.#patienceMs / LOOKS);
    // Who waits for an answer keeps the process alive by the socket.
    this.#timer.unref();
  }

  #giveUp(): void {
    const error = new DentateError(
      "DENTATE_UNAVAILABLE",
      `the process that has the store's lock has not answered for ${this.#patienceMs} ms; it may yet do what it was sent`,
    );
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#socket.destroy();
  }

  #settle(line: string): void {
    this.#silent = 0;
    const { id, result, error } = JSON.parse(line) as Answer;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#socket.unref();
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(fromAnswerError(error));
  }
}
