import { availableParallelism } from "node:os";
import { outOfRange } from "../internal/check.js";
import type { CacheOptions } from "./cache/cached-embedder.js";
import { EMBEDDERS, type Embedder, type EmbedderName } from "./embedder.js";

/** How an embedder is named on a command line. */
export const EMBEDDER_SPECS = `${EMBEDDERS.join(", ")}, onnx:FOLDER, tfjs:FOLDER, openai:MODEL`;

/** Each thread has its own copy of the model. */
const MOST_THREADS = 4;

/** An embedder, and what ends it. */
export interface OpenedEmbedder {
  readonly embedder: EmbedderName | Embedder;
  close(): Promise<void>;
}

/**
 * The embedder that a command line names, with a cache. Where a service is, and its key, the environment says:
 * OPENAI_BASE_URL, OPENAI_API_KEY.
 *
 * @throws RangeError: none of {@link EMBEDDER_SPECS}; what making it throws.
 */
export async function openEmbedderSpec(
  argument: string,
  spec: string,
  cache: CacheOptions = {},
): Promise<OpenedEmbedder> {
  const name = EMBEDDERS.find((known) => known === spec);
  if (name !== undefined) return { embedder: name, close: async () => {} };
  const colon = spec.indexOf(":");
  const open = colon < 0 ? undefined : OPENERS.get(spec.slice(0, colon));
  const of = spec.slice(colon + 1);
  if (open === undefined || of === "") {
    throw outOfRange(argument, `one of ${EMBEDDER_SPECS}`, spec);
  }
  const model = await open(of);
  const { cachedEmbedder } = await import("./cache/cached-embedder.js");
  const embedder = cachedEmbedder(model, cache);
  return { embedder, close: async () => model.close?.() };
}

type Closable = Embedder & { close?(): Promise<void> };

/** Each is imported when it is named: most stores need none. */
const OPENERS = new Map<string, (of: string) => Promise<Closable>>([
  [
    "onnx",
    async (folder) => {
      const { OnnxEmbedder } = await import("./onnx/onnx-embedder.js");
      return OnnxEmbedder.fromFolder(folder, { threads: threadCount() });
    },
  ],
  [
    "tfjs",
    async (folder) => {
      const { TfjsEmbedder } = await import("./tfjs/tfjs-embedder.js");
      return TfjsEmbedder.fromFolder(folder);
    },
  ],
  [
    "openai",
    async (model) => {
      const { openAiEmbedder } = await import("./openai/openai-embedder.js");
      const baseUrl = process.env["OPENAI_BASE_URL"];
      const apiKey = process.env["OPENAI_API_KEY"];
      return openAiEmbedder({ model, baseUrl, apiKey });
    },
  ],
]);

function threadCount(): number {
  return Math.min(MOST_THREADS, availableParallelism());
}
