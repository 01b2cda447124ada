import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { chooseTfjs, type TfjsBackend } from "../../accelerators/tfjs/packages.js";
import { DentateError } from "../../errors.js";
import { expectName } from "../../internal/check.js";
import { firstFile, readModelFolder } from "../model-folder.js";
import { checkModelOptions, checkPath, type ModelOptions } from "../model-options.js";
import { startModel, ThreadedEmbedder } from "../threads/threaded-embedder.js";
import type { TfjsModelSettings } from "./model-thread.js";

/** How {@link TfjsEmbedder.fromFolder} runs a model. Unless given, the folder says it. */
export interface TfjsEmbedderOptions extends ModelOptions {
  /** The graph model, relative to the folder: `model.json` or `tfjs/model.json` unless given. */
  readonly file?: string | undefined;
  /** Only this one of `node-gpu`, `node`, `wasm` and `cpu`; else the first that loads. `DENTATE_TFJS_BACKEND` says the same. */
  readonly backend?: TfjsBackend | undefined;
  /**
   * Where to look for TensorFlow.js: a folder with `node_modules` in it or above it. Else it is found as
   * Dentate's peers are. `DENTATE_TFJS_FOLDER` says the same.
   */
  readonly packages?: string | undefined;
}

const FILES = ["model.json", "tfjs/model.json"];
const BATCH_TOKENS = 512;

/**
 * A sentence model as a graph model of TensorFlow.js, on threads of its own: the caller's event loop goes on
 * meanwhile. It runs on the best backend that is installed: `@tensorflow/tfjs-node-gpu`, `@tensorflow/tfjs-node`,
 * or `@tensorflow/tfjs-core` and `@tensorflow/tfjs-converter` with `@tensorflow/tfjs-backend-wasm` or
 * `@tensorflow/tfjs-backend-cpu`. It wants a folder as the Hugging Face hub has them, with `model.json` and what
 * that names, and the package `@huggingface/tokenizers`.
 *
 * ```ts
 * const embedder = await TfjsEmbedder.fromFolder("./models/all-MiniLM-L6-v2-tfjs");
 * console.log(embedder.device);
 * const memory = await Memory.open("./agent-memory", { embedder });
 * // ...
 * await memory.close();
 * await embedder.close();
 * ```
 */
export class TfjsEmbedder extends ThreadedEmbedder {
  /**
   * Loads a model, and runs it once to see that it works.
   *
   * @throws TypeError, RangeError; `DentateError` `DENTATE_IO`: the folder lacks a file;
   * `DENTATE_CORRUPTION`: one of its JSON files is none; `DENTATE_UNAVAILABLE`: a package is missing, or the model
   * can't be run.
   */
  static async fromFolder(
    directory: string,
    options: TfjsEmbedderOptions = {},
  ): Promise<TfjsEmbedder> {
    expectName("directory", directory, 4096);
    const given = checkModelOptions(options, ["file", "backend", "packages"], BATCH_TOKENS);
    const file = checkPath("options.file", options.file);
    const folder = checkPath("options.packages", options.packages);
    const packages = chooseTfjs(options.backend, folder);
    const model = await readModelFolder(directory, given);
    const weights = await firstFile(model.directory, file === undefined ? FILES : [file]);
    const started = await startModel<TfjsModelSettings>(model, given, {
      script: new URL("./model-thread.js", import.meta.url),
      files: await withShards(weights),
      settings: { weights, packages },
    });
    return new TfjsEmbedder(started);
  }
}

/** The graph, and the files that its weights are split into. @throws `DENTATE_CORRUPTION`. */
async function withShards(graph: string): Promise<string[]> {
  try {
    const { weightsManifest } = JSON.parse(await readFile(graph, "utf8")) as {
      weightsManifest: { paths: string[] }[];
    };
    const shards = weightsManifest.flatMap(({ paths }) => paths);
    return [graph, ...shards.map((shard) => join(dirname(graph), shard))];
  } catch (cause) {
    throw new DentateError("DENTATE_CORRUPTION", `'${graph}' is no graph model`, { cause });
  }
}
