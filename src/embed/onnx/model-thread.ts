/**
 * The thread that an ONNX model runs on. onnxruntime-node computes on the thread that asks, whatever
 * its promises look like, and tokenizing takes its time too: so both are done here, and the caller's
 * event loop goes on. A task is a message, answered before the next one is looked at; its order and
 * size are the caller's business (model-threads.ts).
 */
import { parentPort, workerData } from "node:worker_threads";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { importPeer } from "../import-peer.js";
import { normalizeRows, pool } from "../pooling.js";
import { TextTokens } from "../text-tokens.js";
import {
  CLOSE,
  type Embedded,
  type ModelAnswer,
  type ModelSettings,
  type ModelTask,
  type Tokenized,
} from "./messages.js";

const port = parentPort!;
const settings = workerData as ModelSettings;

/** Its output that has been pooled by the model itself, if it has such a one. */
const POOLED = "sentence_embedding";
const TOKENWISE = ["last_hidden_state", "token_embeddings"];
const LEVEL_ERRORS = 3;

type Onnx = typeof import("onnxruntime-node");

class Model {
  readonly #onnx: Onnx;
  readonly #session: InferenceSession;
  readonly #tokens: TextTokens;
  readonly #output: string;

  private constructor(onnx: Onnx, session: InferenceSession, tokens: TextTokens) {
    this.#onnx = onnx;
    this.#session = session;
    this.#tokens = tokens;
    const names = session.outputNames;
    this.#output = [POOLED, ...TOKENWISE].find((name) => names.includes(name)) ?? names[0]!;
  }

  static async load(): Promise<Model> {
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
    return new Model(onnx, session, await TextTokens.load(settings.tokenizer, settings.maxTokens));
  }

  tokenize(texts: readonly string[]): Tokenized {
    const encoded = texts.map((text) => this.#tokens.encode(text));
    const lengths = Uint32Array.from(encoded, (ids) => ids.length);
    const ids = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const each of encoded) {
      ids.set(each, at);
      at += each.length;
    }
    return { ids, lengths };
  }

  async run(ids: Int32Array, lengths: Uint32Array): Promise<Embedded> {
    const rows = lengths.length;
    const width = lengths.reduce((most, length) => Math.max(most, length));
    const dims = [rows, width];
    const inputs = new BigInt64Array(rows * width);
    const mask = new BigInt64Array(rows * width);
    let at = 0;
    for (let row = 0; row < rows; row++) {
      const start = row * width;
      for (let i = 0; i < lengths[row]!; i++) inputs[start + i] = BigInt(ids[at++]!);
      mask.fill(1n, start, start + lengths[row]!);
    }
    const tensor = (values: BigInt64Array) => new this.#onnx.Tensor("int64", values, dims);
    const feeds: Record<string, Tensor> = {};
    for (const name of this.#session.inputNames) {
      if (name === "input_ids") feeds[name] = tensor(inputs);
      else if (name === "attention_mask") feeds[name] = tensor(mask);
      else if (name === "token_type_ids") feeds[name] = tensor(new BigInt64Array(rows * width));
      else throw new Error(`the model wants an input '${name}'`);
    }
    const outputs = await this.#session.run(feeds, [this.#output]);
    const { data, dims: shape } = outputs[this.#output]!;
    const dimensions = shape.at(-1)!;
    const isPooled = shape.length === 2;
    if (
      !(data instanceof Float32Array) ||
      data.length !== (isPooled ? rows : rows * width) * dimensions
    ) {
      throw new Error(`the model's output '${this.#output}' is no vector a text or token`);
    }
    const vectors = isPooled
      ? data.slice()
      : pool({ values: data, width, dimensions, lengths }, settings.pooling);
    if (settings.normalize) normalizeRows(vectors, dimensions);
    for (const name in outputs) outputs[name]!.dispose();
    return { vectors };
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}

function answer(message: ModelAnswer, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

function fail(error: unknown): void {
  const { message, cause } = error as Error;
  answer({ failure: { message, cause: cause instanceof Error ? cause.message : cause } });
}

async function doTask(model: Model, task: ModelTask): Promise<void> {
  try {
    if (task.kind === "tokenize") {
      const result = model.tokenize(task.texts);
      answer({ result }, [result.ids.buffer as ArrayBuffer, result.lengths.buffer as ArrayBuffer]);
    } else {
      const result = await model.run(task.ids, task.lengths);
      answer({ result }, [result.vectors.buffer as ArrayBuffer]);
    }
  } catch (error) {
    fail(error);
  }
}

try {
  const model = await Model.load();
  let last: Promise<void> = Promise.resolve();
  port.on("message", (task: ModelTask | typeof CLOSE) => {
    last = last.then(async () => {
      if (task !== CLOSE) return doTask(model, task);
      await model.release();
      port.close();
    });
  });
  answer({ result: undefined });
} catch (error) {
  fail(error);
  port.close();
}
