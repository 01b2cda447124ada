import { Agent, request } from "node:http";

/** What came back: a client that measures does not parse what it was sent. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Asks a service over so many connections, which are kept; what finds none free waits for one. */
export class HttpClient {
  readonly #agent: Agent;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, key: string, connections: number) {
    this.#url = new URL(url);
    // First in, first out: all connections take turns, also where fewer would do.
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" });
    this.#headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
  }

  /** @throws Error unless the answer is 200. */
  async post(path: string, body: object): Promise<Answer> {
    const answer = await this.#send(path, JSON.stringify(body));
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    return answer;
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(path: string, body: string): Promise<Answer> {
    const { hostname: host, port } = this.#url;
    const options = { host, port, path, agent: this.#agent, method: "POST" };
    const headers = { ...this.#headers, "Content-Length": Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({ status: answer.statusCode!, body: Buffer.concat(chunks).toString() }),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }
}
