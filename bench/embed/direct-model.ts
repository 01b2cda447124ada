import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { readModelFolder } from "../../src/embed/model-folder.js";
import { normalizeRows, pool } from "../../src/embed/pooling.js";
import { TextTokens } from "../../src/embed/text-tokens.js";

/** onnxruntime-node as a program would call it that has only this to do. */
export class DirectModel {
  readonly #session: InferenceSession;
  readonly #tokens: TextTokens;

  private constructor(session: InferenceSession, tokens: TextTokens) {
    this.#session = session;
    this.#tokens = tokens;
  }

  static async load(folder: string, threads: number): Promise<DirectModel> {
    const { tokenizer, maxTokens } = await readModelFolder(folder, {});
    const session = await InferenceSession.create(join(folder, "onnx", "model_q4.onnx"), {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    });
    return new DirectModel(session, await TextTokens.load(tokenizer, maxTokens));
  }

  /** Token ids, the longest text first. */
  encode(texts: readonly string[]): number[][] {
    return texts.map((text) => this.#tokens.encode(text)).sort((a, b) => b.length - a.length);
  }

  /** `size` texts at a time, padded to the longest of them. */
  async embed(encoded: readonly (readonly number[])[], size: number): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let from = 0; from < encoded.length; from += size) {
      const batch = encoded.slice(from, from + size);
      const width = batch[0]!.length;
      const ids = new BigInt64Array(batch.length * width);
      const mask = new BigInt64Array(ids.length);
      for (const [row, tokens] of batch.entries()) {
        for (const [i, id] of tokens.entries()) ids[row * width + i] = BigInt(id);
        mask.fill(1n, row * width, row * width + tokens.length);
      }
      const tensor = (values: BigInt64Array) => new Tensor("int64", values, [batch.length, width]);
      const { last_hidden_state: hidden } = await this.#session.run({
        input_ids: tensor(ids),
        attention_mask: tensor(mask),
        token_type_ids: tensor(new BigInt64Array(ids.length)),
      });
      const values = hidden!.data as Float32Array;
      const dimensions = hidden!.dims[2]!;
      const lengths = batch.map(({ length }) => length);
      const pooled = pool({ values, width, dimensions, lengths }, "mean");
      normalizeRows(pooled, dimensions);
      for (let row = 0; row < batch.length; row++) {
        vectors.push(pooled.subarray(row * dimensions, (row + 1) * dimensions));
      }
    }
    return vectors;
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}
