import { parentPort, workerData } from "node:worker_threads";
import type { TextTokens } from "../text-tokens.js";
import { joinTokens } from "../tokens.js";
import { CLOSE, type ModelAnswer, type ModelTask } from "./messages.js";
import { duringCall } from "./native-calls.js";

/** A model that is loaded. */
export interface ServedModel {
  readonly tokens: TextTokens;
  /** Where it computes, in words. */
  readonly device: string;
  /** A vector a row of the batch. */
  run(batch: PaddedBatch): Promise<Float32Array> | Float32Array;
  release(): Promise<void>;
}

/** Token ids of several texts, rows × width, padded on the right with zeros. */
export interface PaddedBatch {
  readonly rows: number;
  readonly width: number;
  readonly lengths: Uint32Array;
  readonly ids: Int32Array;
  /** 1 where there is a token, 0 for padding. */
  readonly mask: Int32Array;
}

/**
 * The thread's side of {@link ModelThreads}. What runs a model computes on the thread that asks, whatever its
 * promises look like, and tokenizing takes its time too: so both are done on a thread of their own, and the
 * caller's event loop goes on. A task is a message, answered before the next one is looked at; its order and
 * size are the caller's business (model-threads.ts).
 */
export async function serveModel(load: () => Promise<ServedModel>): Promise<void> {
  const port = parentPort!;
  const { calls } = workerData as { readonly calls: Int32Array };
  const answer = (message: ModelAnswer, transfer: ArrayBuffer[] = []) =>
    port.postMessage(message, transfer);
  const fail = (error: unknown) => {
    const { message, cause } = error as Error;
    answer({ failure: { message, cause: cause instanceof Error ? cause.message : cause } });
  };
  let model: ServedModel;
  try {
    model = await duringCall(calls, load);
  } catch (error) {
    fail(error);
    port.close();
    return;
  }
  let last: Promise<void> = Promise.resolve();
  port.on("message", (task: ModelTask | typeof CLOSE) => {
    last = last.then(async () => {
      if (task === CLOSE) {
        await duringCall(calls, () => model.release());
        port.close();
        return;
      }
      try {
        const { result, transfer } = await duringCall(calls, () => doTask(model, task));
        answer({ result }, transfer);
      } catch (error) {
        fail(error);
      }
    });
  });
  answer({ result: undefined });
}

async function doTask(model: ServedModel, task: ModelTask) {
  if (task.kind === "describe") return { result: { device: model.device }, transfer: [] };
  if (task.kind === "tokenize") {
    const result = joinTokens(task.texts.map((text) => model.tokens.encode(text)));
    return { result, transfer: [result.ids.buffer, result.lengths.buffer] as ArrayBuffer[] };
  }
  const vectors = await model.run(pad(task.ids, task.lengths));
  return { result: { vectors }, transfer: [vectors.buffer] as ArrayBuffer[] };
}

function pad(ids: Int32Array, lengths: Uint32Array): PaddedBatch {
  const rows = lengths.length;
  const width = lengths.reduce((most, length) => Math.max(most, length));
  const padded = new Int32Array(rows * width);
  const mask = new Int32Array(rows * width);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const length = lengths[row]!;
    padded.set(ids.subarray(at, at + length), row * width);
    mask.fill(1, row * width, row * width + length);
    at += length;
  }
  return { rows, width, lengths, ids: padded, mask };
}
