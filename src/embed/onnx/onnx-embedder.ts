import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expectName } from "../../internal/check.js";
import { firstFile, readModelFolder } from "../model-folder.js";
import { checkModelOptions, checkPath, type ModelOptions } from "../model-options.js";
import { startModel, ThreadedEmbedder } from "../threads/threaded-embedder.js";

/** How {@link OnnxEmbedder.fromFolder} runs a model. Unless given, the folder says it. */
export interface OnnxEmbedderOptions extends ModelOptions {
  /**
   * The weights, relative to the folder. Unless given, the first that is there of
   * `onnx/model_quantized.onnx`, `onnx/model_int8.onnx`, `onnx/model.onnx`, `onnx/model_q4.onnx` and
   * `model.onnx`.
   */
  readonly file?: string | undefined;
}

const FILES = [
  "onnx/model_quantized.onnx",
  "onnx/model_int8.onnx",
  "onnx/model.onnx",
  "onnx/model_q4.onnx",
  "model.onnx",
];
/** With weights of four bits a run of 16 turns takes a fifth longer than these one by one (bench/embed.ts). */
const BATCH_TOKENS = 128;

/**
 * A sentence model in ONNX, run by `onnxruntime-node` on threads of its own: the caller's event loop goes
 * on meanwhile. It wants a folder as the Hugging Face hub has them, and the packages `onnxruntime-node`
 * and `@huggingface/tokenizers`.
 *
 * ```ts
 * const embedder = await OnnxEmbedder.fromFolder("./models/bge-small-en-v1.5");
 * const memory = await Memory.open("./agent-memory", { embedder });
 * // ...
 * await memory.close();
 * await embedder.close();
 * ```
 */
export class OnnxEmbedder extends ThreadedEmbedder {
  /**
   * Loads a model, and runs it once to see that it works.
   *
   * @throws TypeError, RangeError; `DentateError` `DENTATE_IO`: the folder lacks a file;
   * `DENTATE_CORRUPTION`: one of its JSON files is none; `DENTATE_UNAVAILABLE`: a package is missing, or the model
   * can't be run.
   */
  static async fromFolder(
    directory: string,
    options: OnnxEmbedderOptions = {},
  ): Promise<OnnxEmbedder> {
    const folder = expectName("directory", directory, 4096);
    const given = checkModelOptions(options, ["file"], BATCH_TOKENS);
    const file = checkPath("options.file", options.file);
    const model = await readModelFolder(folder, given);
    const weights = await firstFile(model.directory, file === undefined ? FILES : [file]);
    const started = await startModel(model, given, {
      script: new URL("./model-thread.js", import.meta.url),
      files: await withData(weights),
      settings: { weights },
    });
    return new OnnxEmbedder(started);
  }
}

/** The weights, and what they are split into where they are large. */
async function withData(weights: string): Promise<string[]> {
  const names = await readdir(dirname(weights));
  const name = basename(weights);
  return names
    .filter((each) => each === name || each.startsWith(`${name}_data`) || each === `${name}.data`)
    .sort()
    .map((each) => join(dirname(weights), each));
}
