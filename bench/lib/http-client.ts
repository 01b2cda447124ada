import { Agent, request } from "node:http";

/** What came back, or as much of it as came. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** There is no whole answer: the connection was refused or lost. */
export class CutOff extends Error {
  override readonly name = "CutOff";

  constructor(
    cause: Error,
    /** What had come of the answer's body. */
    readonly body: string,
  ) {
    super(cause.message, { cause });
  }
}

export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Asks a service over so many connections, which are kept; what finds none free waits for one. As little
 * as can be: it takes time from whom it measures.
 */
export class HttpClient {
  readonly #agent: Agent;
  readonly #url: URL;

  constructor(url: string, connections: number) {
    this.#url = new URL(url);
    // First in, first out: all connections take turns, also where fewer would do.
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" });
  }

  /** Cuts off what is under way. */
  close(): void {
    this.#agent.destroy();
  }

  /** Whatever the status. @throws {@link CutOff}. */
  send({ method = "POST", path, body, headers }: Request): Promise<Answer> {
    const { hostname: host, port } = this.#url;
    const options = { host, port, path, agent: this.#agent, method };
    const length = body !== undefined && { "Content-Length": Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const text = () => Buffer.concat(chunks).toString();
      const fail = (error: Error) => reject(new CutOff(error, text()));
      const sent = request({ ...options, headers: { ...headers, ...length } }, (answer) => {
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", fail);
        answer.on("end", () =>
          resolve({ status: answer.statusCode!, headers: answer.headers, body: text() }),
        );
      });
      sent.on("error", fail);
      sent.end(body);
    });
  }
}

/** Of requests that have a body of JSON and a key. */
export function jsonHeaders(key: string): Readonly<Record<string, string>> {
  return { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
}
