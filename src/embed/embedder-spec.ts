import { outOfRange } from "../internal/check.js";
import { type CacheOptions, cachedEmbedder } from "./cache/cached-embedder.js";
import { checkEmbedder, EMBEDDERS, type Embedder, type EmbedderName } from "./embedder.js";
import { OnnxEmbedder } from "./onnx/onnx-embedder.js";

/** How an embedder is named on a command line. */
export const EMBEDDER_SPECS = `${EMBEDDERS.join(", ")}, onnx:FOLDER`;

/** An embedder, and what ends it. */
export interface OpenedEmbedder {
  readonly embedder: EmbedderName | Embedder;
  close(): Promise<void>;
}

/**
 * The embedder that a command line names, with a cache where one is given.
 *
 * @throws RangeError: none of {@link EMBEDDER_SPECS}; what making it throws.
 */
export async function openEmbedderSpec(
  argument: string,
  spec: string,
  cache: CacheOptions = {},
): Promise<OpenedEmbedder> {
  const [kind, ...rest] = spec.split(":");
  const of = rest.join(":");
  if (kind === "onnx" && of !== "") {
    const model = await OnnxEmbedder.fromFolder(of, { threads: 1 });
    return { embedder: cachedEmbedder(model, cache), close: () => model.close() };
  }
  if (!(EMBEDDERS as readonly string[]).includes(spec)) {
    throw outOfRange(argument, `one of ${EMBEDDER_SPECS}`, spec);
  }
  return { embedder: checkEmbedder(argument, spec), close: async () => {} };
}
