import { workerData } from "node:worker_threads";
import {
  type ChosenTfjs,
  type LoadedBackend,
  loadConverter,
  loadFirstBackend,
} from "../../accelerators/tfjs/packages.js";
import { TextTokens } from "../text-tokens.js";
import type { ModelSettings } from "../threads/messages.js";
import { outputOf, vectorsOf } from "../threads/outputs.js";
import { type PaddedBatch, type ServedModel, serveModel } from "../threads/serve-model.js";
import { type Converter, type GraphModel, readGraphModel } from "./graph-model.js";

/** What the thread of a graph model is started with. */
export interface TfjsModelSettings extends ModelSettings {
  readonly packages: ChosenTfjs;
}

const settings = workerData as TfjsModelSettings;

/** What a model may want, by the end of the input's name, of which a converter may make more: `serving_default_input_ids:0`. */
const INPUTS: readonly [RegExp, (batch: PaddedBatch) => Int32Array][] = [
  [/(input_ids|input_word_ids)$/, ({ ids }) => ids],
  [/(attention_mask|input_mask)$/, ({ mask }) => mask],
  [/(token_type_ids|input_type_ids|segment_ids)$/, ({ ids }) => new Int32Array(ids.length)],
];

class TfjsModel implements ServedModel {
  readonly tokens: TextTokens;
  readonly device: string;
  readonly #loaded: LoadedBackend;
  readonly #graph: GraphModel;
  readonly #output: { readonly name: string; readonly node: string };

  private constructor(loaded: LoadedBackend, graph: GraphModel, tokens: TextTokens) {
    this.tokens = tokens;
    this.device = loaded.device;
    this.#loaded = loaded;
    this.#graph = graph;
    const outputs = Object.entries(graph.modelSignature?.outputs ?? {}).map(
      ([name, { name: node }]) => ({ name, node }),
    );
    if (outputs.length === 0)
      outputs.push(...graph.outputs.map(({ name }) => ({ name, node: name })));
    const name = outputOf(outputs.map((output) => output.name));
    this.#output = outputs.find((output) => output.name === name)!;
  }

  static async load(): Promise<TfjsModel> {
    const loaded = await loadFirstBackend(settings.packages);
    // This thread has no other use for tfjs.
    await loaded.tf.setBackend(loaded.registeredAs);
    const { loadGraphModel } = loadConverter<Converter>(loaded, settings.packages.folder);
    const handler = await readGraphModel(settings.weights);
    const graph = await loadGraphModel({ load: async () => handler }).catch((cause: unknown) => {
      throw new Error(`tfjs cannot load '${settings.weights}'`, { cause });
    });
    const tokens = await TextTokens.load(settings.tokenizer, settings.maxTokens);
    return new TfjsModel(loaded, graph, tokens);
  }

  async run(batch: PaddedBatch): Promise<Float32Array> {
    const { tf } = this.#loaded;
    const output = tf.tidy(() => {
      const feeds = this.#graph.inputs.map(({ name, dtype }) => {
        const plain = name.replace(/:\d+$/, "");
        const values = INPUTS.find(([pattern]) => pattern.test(plain))?.[1](batch);
        if (values === undefined) throw new Error(`the model wants an input '${name}'`);
        const tensor = tf.tensor(values, [batch.rows, batch.width], "int32");
        return [name, dtype === "int32" ? tensor : tf.cast(tensor, "float32")] as const;
      });
      return this.#graph.execute(Object.fromEntries(feeds), this.#output.node);
    });
    try {
      return vectorsOf(this.#output.name, await output.data(), output.shape, batch, settings);
    } finally {
      output.dispose();
    }
  }

  async release(): Promise<void> {
    this.#graph.dispose();
  }
}

await serveModel(() => TfjsModel.load());
