import { availableParallelism } from "node:os";
import { outOfRange } from "../internal/check.js";
import { type CacheOptions, cachedEmbedder } from "./cache/cached-embedder.js";
import { EMBEDDERS, type Embedder, type EmbedderName } from "./embedder.js";
import { OnnxEmbedder } from "./onnx/onnx-embedder.js";
import { openAiEmbedder } from "./openai/openai-embedder.js";
import { TfjsEmbedder } from "./tfjs/tfjs-embedder.js";

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
  const embedder = cachedEmbedder(model, cache);
  return { embedder, close: async () => model.close?.() };
}

type Closable = Embedder & { close?(): Promise<void> };

const OPENERS = new Map<string, (of: string) => Promise<Closable>>([
  ["onnx", (folder) => OnnxEmbedder.fromFolder(folder, { threads: threadCount() })],
  ["tfjs", (folder) => TfjsEmbedder.fromFolder(folder)],
  [
    "openai",
    (model) =>
      openAiEmbedder({
        model,
        baseUrl: process.env["OPENAI_BASE_URL"],
        apiKey: process.env["OPENAI_API_KEY"],
      }),
  ],
]);

function threadCount(): number {
  return Math.min(MOST_THREADS, availableParallelism());
}
