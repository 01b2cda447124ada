import {
  expected,
  expectInteger,
  expectName,
  expectOneOf,
  expectOptions,
  isPlainObject,
  outOfRange,
} from "../../internal/check.js";
import { checkThreshold } from "../embedder.js";

/** How {@link openAiEmbedder} asks a service. */
export interface OpenAiEmbedderOptions {
  /** Where `/embeddings` is, with the version: `https://api.openai.com/v1` unless given. */
  readonly baseUrl?: string | undefined;
  /** Sent as a bearer token. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** Asks for shorter vectors, of services that have them. Unless given, they are as long as they are. */
  readonly dimensions?: number | undefined;
  /** What stores call the model: `model` unless given. */
  readonly name?: string | undefined;
  /** Put before what is asked, and before what a memory holds: some models want it. */
  readonly queryPrefix?: string | undefined;
  readonly documentPrefix?: string | undefined;
  /** Tokens (o200k_base) after which a text is cut: 8,000 unless given. */
  readonly maxTokens?: number | undefined;
  /** Texts in a request: 1 to 2,048, 256 unless given. */
  readonly batchTexts?: number | undefined;
  /** Tokens in a request: 100,000 unless given. */
  readonly batchTokens?: number | undefined;
  /** Requests under way at one time: 1 to 64, 4 unless given. */
  readonly concurrency?: number | undefined;
  /** Milliseconds for one try: 30,000 unless given. */
  readonly timeout?: number | undefined;
  /** Tries after the first, of what may pass (timeouts, lost connections, 408, 409, 429, 5xx): 5 unless given. */
  readonly retries?: number | undefined;
  /** Milliseconds before the first of them: 500 unless given. `Retry-After` counts for more. */
  readonly retryDelay?: number | undefined;
  /** `base64` unless given, which is a third of the size; some services want `float`. */
  readonly encodingFormat?: "base64" | "float" | undefined;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** See {@link Embedder.threshold}. */
  readonly threshold?: number | undefined;
}

const KEYS = [
  "baseUrl",
  "apiKey",
  "model",
  "dimensions",
  "name",
  "queryPrefix",
  "documentPrefix",
  "maxTokens",
  "batchTexts",
  "batchTokens",
  "concurrency",
  "timeout",
  "retries",
  "retryDelay",
  "encodingFormat",
  "headers",
  "threshold",
] as const satisfies (keyof OpenAiEmbedderOptions)[];

const HOUR_MS = 3_600_000;
const MOST_TOKENS = 1 << 24;

/** The options with their defaults. @throws TypeError, RangeError. */
export function checkOpenAiOptions(given: OpenAiEmbedderOptions) {
  const options = expectOptions("options", given, KEYS) as {
    [key in keyof OpenAiEmbedderOptions]: unknown;
  };
  const integer = (key: keyof OpenAiEmbedderOptions, least: number, most: number, or: number) =>
    expectInteger(`options.${key}`, options[key] ?? or, least, most);
  const text = (key: keyof OpenAiEmbedderOptions, longest: number) =>
    options[key] === undefined || options[key] === ""
      ? undefined
      : expectName(`options.${key}`, options[key], longest);
  const { dimensions, threshold, encodingFormat = "base64" } = options;
  const model = expectName("options.model", options.model, 100);
  return {
    url: `${checkUrl(options.baseUrl ?? "https://api.openai.com/v1")}/embeddings`,
    apiKey: text("apiKey", 4096),
    model,
    dimensions:
      dimensions === undefined
        ? undefined
        : expectInteger("options.dimensions", dimensions, 1, 4096),
    // Stores write it between colons.
    name: (text("name", 100) ?? model).replaceAll(":", "@"),
    prefixes: {
      query: text("queryPrefix", 4096) ?? "",
      document: text("documentPrefix", 4096) ?? "",
    },
    maxTokens: integer("maxTokens", 1, MOST_TOKENS, 8000),
    batchTexts: integer("batchTexts", 1, 2048, 256),
    batchTokens: integer("batchTokens", 1, MOST_TOKENS, 100_000),
    concurrency: integer("concurrency", 1, 64, 4),
    timeout: integer("timeout", 1, HOUR_MS, 30_000),
    retries: integer("retries", 0, 100, 5),
    retryDelay: integer("retryDelay", 0, HOUR_MS, 500),
    encodingFormat: expectOneOf("options.encodingFormat", encodingFormat, ["base64", "float"]),
    headers: checkHeaders(options.headers),
    threshold: threshold === undefined ? undefined : checkThreshold("options.threshold", threshold),
  } as const;
}

/** What {@link checkOpenAiOptions} gives. */
export type ResolvedOpenAiOptions = ReturnType<typeof checkOpenAiOptions>;

function checkUrl(given: unknown): string {
  if (typeof given !== "string") throw expected("options.baseUrl", "a string", given);
  if (!URL.canParse(given) || !/^https?:/.test(given)) {
    throw outOfRange("options.baseUrl", "an http or https URL", given);
  }
  return given.replace(/\/+$/, "");
}

function checkHeaders(given: unknown): Readonly<Record<string, string>> {
  if (given === undefined) return {};
  if (!isPlainObject(given)) throw expected("options.headers", "an object", given);
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string") throw expected(`options.headers.${name}`, "a string", value);
  }
  return { ...(given as Record<string, string>) };
}
