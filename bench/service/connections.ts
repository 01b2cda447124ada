import { connect, type Socket } from "node:net";

/** An answer that has come in full. */
export interface Received {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * Posts JSON over so many connections, which are kept; what finds none free waits for one, first in, first out,
 * and all connections take turns. As little as can be, since it takes its share of the processors of whom it
 * measures: a head is a text, and of an answer the status and the length are looked at. An answer counts when
 * the last byte of its body is there; one that does not say its length fails.
 */
export class Connections {
  readonly #free: Connection[];
  readonly #waiting: ((connection: Connection) => void)[] = [];
  readonly #all: readonly Connection[];
  readonly #head: string;

  constructor(url: string, count: number, key: string) {
    const { hostname, port, host } = new URL(url);
    this.#head = `Host: ${host}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n`;
    this.#all = Array.from({ length: count }, () => new Connection(hostname, Number(port)));
    this.#free = [...this.#all];
  }

  /** Whatever the status. @throws Error if the connection is lost. */
  async post(path: string, body: object): Promise<Received> {
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text);
    const connection =
      this.#free.shift() ??
      (await new Promise<Connection>((resolve) => this.#waiting.push(resolve)));
    try {
      return await connection.send(
        `POST ${path} HTTP/1.1\r\n${this.#head}Content-Length: ${length}\r\n\r\n${text}`,
      );
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(connection);
      else next(connection);
    }
  }

  /** Cuts off what is under way. */
  close(): void {
    for (const connection of this.#all) connection.close();
  }
}

const END_OF_HEAD = "\r\n\r\n";

/** One request after the other. */
class Connection {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the head and the body; undefined while the head has not come. */
  #expected: { readonly status: number; readonly head: number; readonly all: number } | undefined;
  #resolve: (answer: Received) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(host: string, port: number) {
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on("data", (chunk) => this.#take(chunk));
    this.#socket.on("error", (error) => this.#reject(error));
    this.#socket.on("close", () => this.#reject(new Error("the connection was closed")));
  }

  send(request: string): Promise<Received> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#expected ??= this.#readHead();
    if (this.#expected === undefined || this.#bytes < this.#expected.all) return;
    const { status, head, all } = this.#expected;
    const answer = { status, body: Buffer.concat(this.#chunks).subarray(head, all) };
    this.#chunks = [];
    this.#bytes = 0;
    this.#expected = undefined;
    this.#resolve(answer);
  }

  #readHead() {
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) return undefined;
    const text = bytes.toString("latin1", 0, end);
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
    const [, length] = /^content-length: (\d+)$/im.exec(text) ?? [];
    if (status === undefined || length === undefined) {
      this.#socket.destroy(new Error(`expected an answer that says its length, got ${text}`));
      return undefined;
    }
    const head = end + END_OF_HEAD.length;
    return { status: Number(status), head, all: head + Number(length) };
  }
}
