import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A model that gives every token the vector that a table has for it; its words are `a` to `c`. */
export const TABLE = [
  [0, 0], // [PAD]
  [9, 9], // [UNK]
  [1, 0], // [CLS]
  [0, 1], // [SEP]
  [2, 0], // a
  [0, 4], // b
  [8, 8], // c
];
const WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c"];

/** Writes it as a graph model in a folder of its own, with inputs and output named as one likes. */
export async function writeTinyGraph(
  inputs: readonly string[],
  output = "last_hidden_state",
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "dentate-graph-"));
  const nodes = [
    ...inputs.map((name) => ({
      name,
      op: "Placeholder",
      attr: {
        dtype: { type: "DT_INT32" },
        shape: { shape: { dim: [{ size: -1 }, { size: -1 }] } },
      },
    })),
    constant("table", "DT_FLOAT"),
    constant("axis", "DT_INT32"),
    {
      name: "vectors",
      op: "GatherV2",
      input: ["table", inputs.find((name) => name.endsWith("input_ids"))!, "axis"],
      attr: {
        Tparams: { type: "DT_FLOAT" },
        Tindices: { type: "DT_INT32" },
        Taxis: { type: "DT_INT32" },
        batch_dims: { i: "0" },
      },
    },
  ];
  const tensorShape = { dim: [{ size: "-1" }, { size: "-1" }] };
  const model = {
    format: "graph-model",
    signature: {
      inputs: Object.fromEntries(
        inputs.map((name) => [name, { name: `${name}:0`, dtype: "DT_INT32", tensorShape }]),
      ),
      outputs: { [output]: { name: "vectors:0", dtype: "DT_FLOAT" } },
    },
    modelTopology: { node: nodes, library: {}, versions: {} },
    weightsManifest: [
      {
        paths: ["table.bin", "axis.bin"],
        weights: [
          { name: "table", shape: [TABLE.length, 2], dtype: "float32" },
          { name: "axis", shape: [], dtype: "int32" },
        ],
      },
    ],
  };
  const special = (content: string, id: number) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  const tokenizer = {
    version: "1.0",
    added_tokens: WORDS.slice(0, 4).map(special),
    normalizer: { type: "BertNormalizer", lowercase: true, clean_text: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    post_processor: {
      type: "TemplateProcessing",
      single: [
        { SpecialToken: { id: "[CLS]", type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: "[SEP]", type_id: 0 } },
      ],
      pair: [],
      special_tokens: {
        "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
        "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
      },
    },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    },
  };
  await Promise.all([
    writeFile(join(folder, "model.json"), JSON.stringify(model)),
    writeFile(join(folder, "table.bin"), Buffer.from(Float32Array.from(TABLE.flat()).buffer)),
    writeFile(join(folder, "axis.bin"), Buffer.alloc(4)),
    writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer)),
    writeFile(
      join(folder, "tokenizer_config.json"),
      JSON.stringify({ model_max_length: 6, tokenizer_class: "BertTokenizer" }),
    ),
  ]);
  return folder;
}

function constant(name: string, type: string) {
  return { name, op: "Const", attr: { dtype: { type }, value: { tensor: { dtype: type } } } };
}
