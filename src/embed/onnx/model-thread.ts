import { workerData } from "node:worker_threads";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { importPeer } from "../import-peer.js";
import { TextTokens } from "../text-tokens.js";
import type { ModelSettings } from "../threads/messages.js";
import { outputOf, vectorsOf } from "../threads/outputs.js";
import { type PaddedBatch, type ServedModel, serveModel } from "../threads/serve-model.js";

/** The thread that an ONNX model runs on. */
const settings = workerData as ModelSettings;

const LEVEL_ERRORS = 3;

type Onnx = typeof import("onnxruntime-node");

class OnnxModel implements ServedModel {
  readonly tokens: TextTokens;
  readonly device = "onnxruntime-node, the CPU";
  readonly #onnx: Onnx;
  readonly #session: InferenceSession;
  readonly #output: string;

  private constructor(onnx: Onnx, session: InferenceSession, tokens: TextTokens) {
    this.tokens = tokens;
    this.#onnx = onnx;
    this.#session = session;
    this.#output = outputOf(session.outputNames);
  }

  static async load(): Promise<OnnxModel> {
    const onnx = await importPeer<Onnx>("onnxruntime-node");
    // By its path: weights that are in files of their own are looked for beside it.
    const session = await onnx.InferenceSession.create(settings.weights, {
      // More threads work on one batch worse than each on its own (model-threads.ts).
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: LEVEL_ERRORS,
    }).catch((cause: unknown) => {
      throw new Error(`onnxruntime cannot load '${settings.weights}'`, { cause });
    });
    const tokens = await TextTokens.load(settings.tokenizer, settings.maxTokens);
    return new OnnxModel(onnx, session, tokens);
  }

  async run(batch: PaddedBatch): Promise<Float32Array> {
    const dims = [batch.rows, batch.width];
    const tensor = (values: Int32Array) =>
      new this.#onnx.Tensor("int64", BigInt64Array.from(values, BigInt), dims);
    const feeds: Record<string, Tensor> = {};
    for (const name of this.#session.inputNames) {
      if (name === "input_ids") feeds[name] = tensor(batch.ids);
      else if (name === "attention_mask") feeds[name] = tensor(batch.mask);
      else if (name === "token_type_ids") feeds[name] = tensor(new Int32Array(batch.ids.length));
      else throw new Error(`the model wants an input '${name}'`);
    }
    const outputs = await this.#session.run(feeds, [this.#output]);
    const { data, dims: shape } = outputs[this.#output]!;
    const vectors = vectorsOf(this.#output, data, shape, batch, settings);
    for (const name in outputs) outputs[name]!.dispose();
    return vectors;
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}

await serveModel(() => OnnxModel.load());
