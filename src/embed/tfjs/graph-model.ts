import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Tensor } from "../../accelerators/tfjs/tf-core.js";

/** What is used of a graph model of @tensorflow/tfjs-converter. */
export interface GraphModel {
  readonly inputs: readonly { readonly name: string; readonly dtype: string }[];
  readonly outputs: readonly { readonly name: string }[];
  readonly modelSignature:
    | { readonly outputs?: Record<string, { readonly name: string }> }
    | undefined;
  execute(inputs: Readonly<Record<string, Tensor>>, output: string): Tensor;
  dispose(): void;
}

/** What its loader is given: the file `model.json`, and the weights that it names. */
export interface ModelArtifacts {
  readonly modelTopology: object;
  readonly weightSpecs: readonly object[];
  readonly weightData: ArrayBuffer;
  readonly [key: string]: unknown;
}

/** The part of the converter that loads. */
export interface Converter {
  loadGraphModel(handler: { load(): Promise<ModelArtifacts> }): Promise<GraphModel>;
}

/** Reads a graph model from its folder: tfjs itself reads files in tfjs-node only. */
export async function readGraphModel(path: string): Promise<ModelArtifacts> {
  const { weightsManifest, ...model } = JSON.parse(await readFile(path, "utf8")) as {
    modelTopology: object;
    weightsManifest: { paths: string[]; weights: object[] }[];
  };
  const shards = weightsManifest.flatMap(({ paths }) => paths);
  const parts = await Promise.all(shards.map((shard) => readFile(join(dirname(path), shard))));
  const bytes = Buffer.concat(parts);
  return {
    ...model,
    weightSpecs: weightsManifest.flatMap(({ weights }) => weights),
    // The pool of small buffers has others' bytes around them.
    weightData: bytes.buffer.slice(
      bytes.byteOffset,
      bytes.byteOffset + bytes.length,
    ) as ArrayBuffer,
  };
}
