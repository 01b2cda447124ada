import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { OnnxEmbedder } from "../../src/embed/index.js";
import {
  firstFile,
  type ModelOverrides,
  modelDigest,
  readModelFolder,
} from "../../src/embed/model-folder.js";
import { isDentateError } from "../../src/index.js";

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const COMMON = {
  "config.json": { max_position_embeddings: 512 },
  "tokenizer.json": { model: {} },
  "tokenizer_config.json": { model_max_length: 512 },
};

/** A folder of a model that is called so; undefined: without that file. */
function folderOf(files: Record<string, unknown>, name = "some-model"): string {
  const parent = mkdtempSync(join(tmpdir(), "dentate-model-"));
  folders.push(parent);
  const folder = join(parent, name);
  for (const [file, content] of Object.entries({ ...COMMON, ...files })) {
    if (content === undefined) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const read = (files: Record<string, unknown>, name?: string, overrides: ModelOverrides = {}) =>
  readModelFolder(folderOf(files, name), overrides);
const has =
  (code: "DENTATE_IO" | "DENTATE_CORRUPTION" | "DENTATE_UNAVAILABLE") => (error: unknown) =>
    isDentateError(error, code);

describe("a folder with a model", () => {
  it("is a plain one where nothing else is said", async () => {
    const { name, pooling, maxTokens, prefixes } = await read({});
    assert.deepEqual(
      { name, pooling, maxTokens, prefixes },
      {
        name: "some-model",
        pooling: "mean",
        maxTokens: 512,
        prefixes: { query: "", document: "" },
      },
    );
  });

  it("says how tokens become one vector", async () => {
    for (const [mode, pooling] of [
      ["pooling_mode_cls_token", "cls"],
      ["pooling_mode_mean_tokens", "mean"],
      ["pooling_mode_lasttoken", "last"],
    ] as const) {
      const file = { "1_Pooling/config.json": { [mode]: true, pooling_mode_max_tokens: false } };
      assert.equal((await read(file, "bge-small-en")).pooling, pooling);
      assert.equal((await read(file, "x", { pooling: "mean" })).pooling, "mean");
    }
    const other = { "1_Pooling/config.json": { pooling_mode_max_tokens: true } };
    await assert.rejects(read(other), has("DENTATE_UNAVAILABLE"));
  });

  it("says how long a text may be", async () => {
    const most = async (files: Record<string, unknown>, overrides?: ModelOverrides) =>
      (await read(files, "x", overrides)).maxTokens;
    assert.equal(await most({ "sentence_bert_config.json": { max_seq_length: 256 } }), 256);
    assert.equal(await most({ "sentence_bert_config.json": { max_seq_length: 4096 } }), 512);
    assert.equal(await most({ "tokenizer_config.json": { model_max_length: 1e30 } }), 512);
    assert.equal(await most({ "tokenizer_config.json": { model_max_length: 128 } }), 128);
    const roberta = { model_type: "xlm-roberta", max_position_embeddings: 514 };
    assert.equal(await most({ "config.json": roberta, "tokenizer_config.json": {} }), 512);
    assert.equal(await most({ "config.json": {}, "tokenizer_config.json": {} }), 512);
    assert.equal(await most({}, { maxTokens: 64 }), 64);
    await assert.rejects(most({}, { maxTokens: 513 }), RangeError);
  });

  it("says what is put before a text, or its name does", async () => {
    const prefixes = async (name: string, files = {}, overrides: ModelOverrides = {}) => {
      const found = await read(files, name, overrides);
      return [found.prefixes.query, found.prefixes.document, found.pooling];
    };
    const forSearch = "Represent this sentence for searching relevant passages: ";
    assert.deepEqual(await prefixes("bge-small-en-v1.5"), [forSearch, "", "cls"]);
    assert.deepEqual(await prefixes("bge-m3"), ["", "", "cls"]);
    assert.deepEqual(await prefixes("e5-base-v2"), ["query: ", "passage: ", "mean"]);
    assert.deepEqual(await prefixes("multilingual-e5-small"), ["query: ", "passage: ", "mean"]);
    assert.deepEqual(await prefixes("multilingual-e5-large-instruct"), ["", "", "mean"]);
    assert.deepEqual(await prefixes("all-MiniLM-L6-v2"), ["", "", "mean"]);
    const named = { "config.json": { _name_or_path: "intfloat/e5-small" } };
    assert.deepEqual(await prefixes("snapshot", named), ["query: ", "passage: ", "mean"]);
    const prompts = {
      "config_sentence_transformers.json": { prompts: { query: "Q ", passage: "P " } },
    };
    assert.deepEqual(await prefixes("e5-base", prompts), ["Q ", "P ", "mean"]);
    const own = { queryPrefix: "", documentPrefix: "d " };
    assert.deepEqual(await prefixes("e5-base", prompts, own), ["", "d ", "mean"]);
  });

  it("is refused where a file is missing, or is something else", async () => {
    for (const file of ["tokenizer.json", "tokenizer_config.json"]) {
      await assert.rejects(read({ [file]: undefined }), has("DENTATE_IO"), file);
      await assert.rejects(read({ [file]: "{" }), has("DENTATE_CORRUPTION"), file);
      await assert.rejects(read({ [file]: "7" }), has("DENTATE_CORRUPTION"), file);
    }
    await assert.rejects(OnnxEmbedder.fromFolder(folderOf({})), has("DENTATE_IO"));
    await assert.rejects(OnnxEmbedder.fromFolder(join(folderOf({}), "none")), has("DENTATE_IO"));
    const broken = folderOf({ "onnx/model.onnx": "no model" });
    await assert.rejects(OnnxEmbedder.fromFolder(broken), has("DENTATE_UNAVAILABLE"));
  });

  it("gives the first file that is there", async () => {
    const folder = folderOf({ "onnx/b.onnx": "b", "c.onnx": "c" });
    assert.equal(
      await firstFile(folder, ["a.onnx", "onnx/b.onnx", "c.onnx"]),
      join(folder, "onnx/b.onnx"),
    );
    await assert.rejects(firstFile(folder, ["a.onnx"]), has("DENTATE_IO"));
  });

  it("has a digest of all that its vectors depend on", async () => {
    const digest = async (weights: string, overrides: ModelOverrides, tokenizer = "{}") => {
      const files = { "a.onnx": weights, "tokenizer.json": tokenizer };
      const model = await read(files, "x", overrides);
      return modelDigest(model, [join(model.directory, "a.onnx")]);
    };
    const first = await digest("w", {});
    assert.match(first, /^[\da-f]{16}$/);
    assert.equal(await digest("w", { name: "other" }), first);
    const others = [
      await digest("v", {}),
      await digest("w", {}, '{"a":1}'),
      await digest("w", { maxTokens: 64 }),
      await digest("w", { queryPrefix: "q" }),
      await digest("w", { documentPrefix: "q" }),
    ];
    assert.equal(new Set([first, ...others]).size, 6);
  });
});
