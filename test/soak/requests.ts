import { type Answer, CutOff, jsonHeaders, type Request } from "../../bench/lib/http-client.js";
import type { Service } from "./service.js";

/** Whether a request was done nobody knows: the service was killed or stopped meanwhile. */
export class InDoubt extends Error {
  override readonly name = "InDoubt";

  constructor(
    /** What had come of the answer. */
    readonly body: string,
  ) {
    super("the service was stopped meanwhile");
  }
}

/** Codes of our refusals: docs/service.md and docs/errors.md. */
const CODE = /^(?:DENTATE_)?[A-Z]+(?:_[A-Z]+)*$/;
/** While it stops: the request was turned away. */
const STOPPING = new Set(["SHUTTING_DOWN", "DENTATE_CLOSED", "DENTATE_ABORTED"]);

/** What a key asks of a service. Anything that is not as it should be ends the soak. */
export class Requests {
  readonly #service: Service;
  readonly #headers: Readonly<Record<string, string>>;
  /** So many were answered, by what they were for. */
  readonly counts = new Map<string, number>();

  constructor(service: Service, key: string) {
    this.#service = service;
    this.#headers = jsonHeaders(key);
  }

  /**
   * The answer's body, whose status is the one expected.
   *
   * @throws {@link InDoubt} where the service was killed or stopped meanwhile.
   */
  async ask(what: string, request: Request, expected = 200): Promise<string> {
    await this.#service.ready;
    const { interferences } = this.#service;
    let answer: Answer;
    try {
      const headers = { ...this.#headers, ...request.headers };
      answer = await this.#service.client.send({ ...request, headers });
    } catch (error) {
      if (!(error instanceof CutOff)) throw error;
      if (this.#service.interferences > interferences) throw new InDoubt(error.body);
      throw new Error(`${what}: ${error.message}, though nobody interfered`, { cause: error });
    }
    const { status, body } = answer;
    if (status !== 200) {
      const code = codeOf(what, status, body);
      const isStopped = status === 503 && STOPPING.has(code);
      if (isStopped && this.#service.interferences > interferences) throw new InDoubt("");
    }
    if (status !== expected) throw new Error(`${what}: ${status}, not ${expected}: ${body}`);
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    return body;
  }

  /** The same with JSON both ways. */
  async json<T>(what: string, method: string, path: string, body?: object): Promise<T> {
    const sent = body === undefined ? undefined : { body: JSON.stringify(body) };
    return JSON.parse(await this.ask(what, { method, path, ...sent })) as T;
  }
}

/** @throws Error where a refusal is not of the one shape that ours have. */
function codeOf(what: string, status: number, body: string): string {
  try {
    const { error } = JSON.parse(body) as { error: { code: unknown; message: unknown } };
    if (CODE.test(String(error.code)) && typeof error.message === "string") {
      return String(error.code);
    }
  } catch {
    // Told below.
  }
  throw new Error(`${what}: ${status} with a body that is not ours: ${body.slice(0, 300)}`);
}
