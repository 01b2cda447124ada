import { DentateError, isDentateError } from "../../errors.js";
import { loadTokenizer, wellFormed } from "../../text/tokenizer.js";
import { aborted } from "../aborted.js";
import type { Embedder, EmbedOptions } from "../embedder.js";
import { readAnswer } from "./answer.js";
import {
  checkOpenAiOptions,
  type OpenAiEmbedderOptions,
  type ResolvedOpenAiOptions,
} from "./options.js";
import { Passing, retryAfterMs, retrying } from "./retry.js";
import { Slots } from "./slots.js";
import { textGroups } from "./text-groups.js";

/** An embedder behind a service. */
export interface OpenAiEmbedder extends Embedder {
  /** @throws `DentateError` `DENTATE_ABORTED`, `DENTATE_UNAVAILABLE`: `cause` says what the service did. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
}

/**
 * A model behind any service that speaks OpenAI's `/v1/embeddings`: their own, vLLM, llama.cpp, Ollama, LiteLLM and
 * others. Texts go in batches, several at a time; what may pass is tried again. An empty text is not sent: its vector is
 * zeros.
 *
 * ```ts
 * const embedder = await openAiEmbedder({ apiKey: process.env.OPENAI_API_KEY, model: "text-embedding-3-small" });
 * ```
 *
 * Unless `dimensions` are given, it asks for one vector to see how long they are.
 *
 * @throws TypeError, RangeError; `DentateError` `DENTATE_UNAVAILABLE`.
 */
export async function openAiEmbedder(options: OpenAiEmbedderOptions): Promise<OpenAiEmbedder> {
  const settings = checkOpenAiOptions(options);
  const service = new Service(settings);
  const dimensions = settings.dimensions ?? (await service.ask(["a"], undefined))[0]!.length;
  return new ServiceEmbedder(service, settings, dimensions);
}

class ServiceEmbedder implements OpenAiEmbedder {
  readonly id: string;
  readonly dimensions: number;
  readonly pooling = "service";
  readonly threshold: number | undefined;
  readonly batchTexts: number;
  readonly #service: Service;
  readonly #settings: ResolvedOpenAiOptions;

  constructor(service: Service, settings: ResolvedOpenAiOptions, dimensions: number) {
    this.#service = service;
    this.#settings = settings;
    this.id = settings.name;
    this.dimensions = dimensions;
    this.threshold = settings.threshold;
    this.batchTexts = settings.batchTexts;
  }

  async embed(
    texts: readonly string[],
    { kind, signal }: EmbedOptions = { kind: "document" },
  ): Promise<Float32Array[]> {
    const { prefixes, batchTexts, batchTokens } = this.#settings;
    const vectors: Float32Array[] = texts.map(() => new Float32Array(this.dimensions));
    const full = texts.flatMap((text, index) => (text === "" ? [] : [index]));
    const cut = full.map((index) => this.#cut(prefixes[kind] + texts[index]!));
    const groups = textGroups(
      cut.map(({ tokens }) => tokens),
      { texts: batchTexts, tokens: batchTokens },
    );
    // One that fails, or is given up, takes the others with it.
    const stop = new AbortController();
    const signals = signal === undefined ? [stop.signal] : [stop.signal, signal];
    try {
      await Promise.all(
        groups.map(async (group) => {
          const asked = group.map((i) => cut[i]!.text);
          const found = await this.#service.ask(asked, AbortSignal.any(signals));
          for (const [i, vector] of found.entries()) {
            if (vector.length !== this.dimensions) throw this.#wrongLength(vector.length);
            vectors[full[group[i]!]!] = vector;
          }
        }),
      );
    } catch (error) {
      stop.abort(error);
      throw signal?.aborted ? aborted(signal) : error;
    }
    return vectors;
  }

  #cut(given: string): { readonly text: string; readonly tokens: number } {
    const { text } = wellFormed(given);
    const tokenizer = loadTokenizer();
    const { maxTokens } = this.#settings;
    const tokens = tokenizer.encode(text);
    if (tokens.length <= maxTokens) return { text, tokens: tokens.length };
    return { text: tokenizer.decode(tokens.subarray(0, maxTokens)), tokens: maxTokens };
  }

  #wrongLength(length: number): DentateError {
    const { url } = this.#settings;
    return new DentateError(
      "DENTATE_UNAVAILABLE",
      `${url} gave a vector of ${length} dimensions, not ${this.dimensions}`,
    );
  }
}

const LONGEST_QUOTE = 300;

/** The requests of one embedder. */
class Service {
  readonly #settings: ResolvedOpenAiOptions;
  readonly #slots: Slots;

  constructor(settings: ResolvedOpenAiOptions) {
    this.#settings = settings;
    this.#slots = new Slots(settings.concurrency);
  }

  /** @throws {@link DentateError} `DENTATE_UNAVAILABLE`; the signal's reason. */
  async ask(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const { retries, retryDelay, url } = this.#settings;
    try {
      return await retrying(() => this.#slots.run(() => this.#once(texts, signal), signal), {
        retries,
        firstPauseMs: retryDelay,
        signal,
      });
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      if (isDentateError(cause)) throw cause;
      const { message } = cause as Error;
      throw new DentateError("DENTATE_UNAVAILABLE", `${url}: ${message}`, { cause });
    }
  }

  async #once(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const { url, timeout, model, dimensions, encodingFormat } = this.#settings;
    const limit = AbortSignal.timeout(timeout);
    let response: Response;
    let body: string;
    try {
      response = await fetch(url, {
        method: "POST",
        headers: this.#headers(),
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
        body: JSON.stringify({
          model,
          input: texts,
          encoding_format: encodingFormat,
          ...(dimensions !== undefined && { dimensions }),
        }),
      });
      body = await response.text();
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const why = limit.aborted ? `no answer in ${timeout} ms` : reasonOf(cause);
      throw new Passing(why, undefined, { cause });
    }
    if (!response.ok) {
      const message = `status ${response.status}: ${this.#quote(body)}`;
      if (!mayPass(response.status)) throw new Error(message);
      throw new Passing(message, retryAfterMs(response.headers, Date.now()));
    }
    return readAnswer(this.#parsed(body), texts.length);
  }

  /** What came is no JSON where a proxy answered, or the connection was lost: it may come whole next time. */
  #parsed(body: string): unknown {
    try {
      return JSON.parse(body);
    } catch {
      // Without the error as its cause, which quotes the answer as it came.
      throw new Passing(`no JSON: ${this.#quote(body)}`);
    }
  }

  /** The beginning of an answer; some services say there which key they did not like. */
  #quote(body: string): string {
    const { apiKey } = this.#settings;
    const shown = apiKey === undefined ? body : body.replaceAll(apiKey, "***");
    return shown.slice(0, LONGEST_QUOTE);
  }

  #headers(): Record<string, string> {
    const { apiKey, headers } = this.#settings;
    return {
      "content-type": "application/json",
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...headers,
    };
  }
}

function mayPass(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** fetch says "fetch failed", and why in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}
