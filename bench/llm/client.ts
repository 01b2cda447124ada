import { UsageError } from "../lib/row.js";

/** What is asked of a language model. */
export interface Prompt {
  readonly system: string;
  readonly user: string;
  readonly maxTokens: number;
}

/** Answers prompts. */
export interface LanguageModel {
  readonly name: string;
  complete(prompt: Prompt): Promise<string>;
}

export interface EndpointOptions {
  /** Where `/chat/completions` is, with its version: `https://host/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly timeoutMs?: number;
  /** Tries in all, for what may pass: a timeout, a lost connection, 408, 409, 429, 5xx. */
  readonly attempts?: number;
  /** The wait before the second try; it doubles, unless the answer's Retry-After says otherwise. */
  readonly backoffMs?: number;
  /** Requests under way at one time. */
  readonly concurrency?: number;
}

const LONGEST_WAIT_MS = 60_000;

/** The endpoint that the environment names: OPENAI_BASE_URL, and OPENAI_API_KEY where one is needed. */
export function endpointFromEnvironment(model: string): LanguageModel {
  const baseUrl = process.env["OPENAI_BASE_URL"];
  if (baseUrl === undefined || !URL.canParse(baseUrl)) {
    throw new UsageError(
      `--llm needs OPENAI_BASE_URL to be a URL, got ${baseUrl === undefined ? "nothing" : `"${baseUrl}"`}`,
    );
  }
  return openAiEndpoint({ baseUrl, apiKey: process.env["OPENAI_API_KEY"], model });
}

/** A model behind the chat-completions protocol, at temperature 0. */
export function openAiEndpoint({
  baseUrl,
  apiKey,
  model,
  timeoutMs = 60_000,
  attempts = 5,
  backoffMs = 500,
  concurrency = 8,
}: EndpointOptions): LanguageModel {
  const url = `${baseUrl.replace(/\/+$/, "")}/chat/completions`;
  const headers = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const slots = new Slots(concurrency);
  const once = async ({ system, user, maxTokens }: Prompt): Promise<string> => {
    const response = await fetch(url, {
      method: "POST",
      headers,
      signal: AbortSignal.timeout(timeoutMs),
      body: JSON.stringify({
        model,
        temperature: 0,
        max_tokens: maxTokens,
        messages: [
          { role: "system", content: system },
          { role: "user", content: user },
        ],
      }),
    });
    const body = await response.text();
    if (!response.ok) throw new HttpError(response, body);
    return contentOf(body);
  };
  const complete = async (prompt: Prompt): Promise<string> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(prompt);
      } catch (cause) {
        if (cause instanceof HttpError && !cause.mayPass) throw cause;
        if (attempt >= attempts) {
          throw new Error(`${url}: no answer after ${attempts} tries: ${messageOf(cause)}`, {
            cause,
          });
        }
        const asked = cause instanceof HttpError ? cause.retryAfterMs : undefined;
        await sleep(Math.min(LONGEST_WAIT_MS, asked ?? backoffMs * 2 ** (attempt - 1)));
      }
    }
  };
  return { name: model, complete: (prompt) => slots.run(() => complete(prompt)) };
}

class HttpError extends Error {
  readonly mayPass: boolean;
  readonly retryAfterMs: number | undefined;

  constructor({ status, headers }: Response, body: string) {
    super(`status ${status}: ${body.slice(0, 200)}`);
    this.mayPass = status === 408 || status === 409 || status === 429 || status >= 500;
    const seconds = Number(headers.get("retry-after") ?? Number.NaN);
    this.retryAfterMs = Number.isFinite(seconds) ? 1000 * seconds : undefined;
  }
}

function contentOf(body: string): string {
  const { choices } = JSON.parse(body) as {
    choices?: readonly { message?: { content?: unknown } }[];
  };
  const content = choices?.[0]?.message?.content;
  if (typeof content !== "string") throw new Error(`no message in ${body.slice(0, 200)}`);
  return content;
}

/** Lets so many pieces of work run at one time, in the order of asking. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
