/**
 * Makes assets/distilled-words.bin: a vector for each English word piece, distilled from a sentence
 * model. Run once; the result is committed, and nothing else needs the model.
 *
 *   npm run distill                 fetches the pinned model into .cache/models (50 MB)
 *   npm run distill -- FOLDER       takes a folder with vocab.txt and onnx/model_q4.onnx
 *
 * Each piece goes through the model alone ([CLS] piece [SEP]), and its vector is the mean of the
 * three outputs. Vectors are scaled to unit length, centred, turned to their principal components
 * (192 of 384 are kept, the leading ones damped), scaled again and stored as int8. A piece also
 * has the weight of its word in the mean vector of a text: a / (a + p), where p is its frequency,
 * estimated from its rank in the vocabulary by Zipf's law.
 *
 * Kept are the pieces of ASCII letters: folding leaves no others in an English word, and words of
 * other scripts get a signature of their own. native/signatures/distilled_table.h draws the file.
 *
 * Sources: the idea, M. van Dongen and S. Tulkens, "Model2Vec" (2024); the weight, S. Arora,
 * Y. Liang and T. Ma, "A simple but tough-to-beat baseline for sentence embeddings", ICLR 2017.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  centreRows,
  normalizeRows,
  project,
  quantize,
  scatterMatrix,
  symmetricEigen,
} from "./distill-math.mjs";
import { fetchMiniLm, MINILM, verifyMiniLm } from "./lib/minilm.mjs";

const RUNTIME_PACKAGE = "onnxruntime-node@1.30.0";
const MODEL_DIMENSIONS = 384;
const DIMENSIONS = 192;
const FIRST_BY_FREQUENCY = 1996; // pieces from here on are in the order of their frequency
const CLS = 101n;
const SEP = 102n;
const SMOOTHING = 1e-3;
const UNIT = 8192; // a unit vector's length in the fixed-point arithmetic of the encoder
const SCALE_FRACTION = 256; // scales are in 1/256 of that
const WEIGHT_UNIT = 1023;

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const cache = path.join(root, ".cache");

const folder = process.argv[2] ?? MINILM;
if (folder === MINILM) await fetchMiniLm();
else await verifyMiniLm(folder);
const pieces = readPieces(folder);
report(`${pieces.length} pieces through the model`);
const rows = await embed(folder, pieces);
report("principal components");
const isFitted = (row) => pieces[row].id >= FIRST_BY_FREQUENCY;
normalizeRows(rows, MODEL_DIMENSIONS);
centreRows(rows, MODEL_DIMENSIONS, isFitted);
const scatter = scatterMatrix(rows, MODEL_DIMENSIONS, isFitted);
const reduced = project(
  rows,
  MODEL_DIMENSIONS,
  symmetricEigen(scatter, MODEL_DIMENSIONS),
  DIMENSIONS,
);
normalizeRows(reduced, DIMENSIONS);
const bytes = serialize(pieces, quantize(reduced, DIMENSIONS));
const target = path.join(root, "assets", "distilled-words.bin");
writeFileSync(target, bytes);
report(`${target}: ${bytes.length} bytes, sha256 ${sha256(bytes)}`);

function report(line) {
  process.stderr.write(`distill: ${line}\n`);
}

function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

/** The pieces that are kept, sorted by their text. */
function readPieces(model) {
  const vocabulary = readFileSync(path.join(model, "vocab.txt"), "utf8").trimEnd().split("\n");
  return vocabulary
    .map((text, id) => ({ text, id }))
    .filter(({ text }) => /^(?:##)?[a-z]+$/.test(text))
    .sort((a, b) => (a.text < b.text ? -1 : 1));
}

/** onnxruntime-node, installed beside the model: it is no dependency of this package. */
async function loadRuntime() {
  const home = path.join(cache, "distill");
  if (!existsSync(path.join(home, "node_modules", "onnxruntime-node"))) {
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, "package.json"), '{ "private": true }\n');
    report(`installing ${RUNTIME_PACKAGE}`);
    // Its install script would fetch CUDA libraries; the CPU library is in the package.
    execFileSync(
      "npm",
      ["install", "--ignore-scripts", "--no-audit", "--silent", RUNTIME_PACKAGE],
      {
        cwd: home,
        env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: "skip" },
      },
    );
  }
  return createRequire(path.join(home, "package.json"))("onnxruntime-node");
}

async function embed(model, kept) {
  const { InferenceSession, Tensor } = await loadRuntime();
  const session = await InferenceSession.create(path.join(model, "onnx", "model_q4.onnx"), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const out = new Float64Array(kept.length * MODEL_DIMENSIONS);
  const batch = 128;
  for (let first = 0; first < kept.length; first += batch) {
    const group = kept.slice(first, first + batch);
    const tensor = (values) => new Tensor("int64", values, [group.length, 3]);
    const ids = BigInt64Array.from(group.flatMap(({ id }) => [CLS, BigInt(id), SEP]));
    const result = await session.run({
      input_ids: tensor(ids),
      attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
      token_type_ids: tensor(new BigInt64Array(ids.length)),
    });
    const hidden = result.last_hidden_state.data;
    for (let i = 0; i < hidden.length; i++) {
      const row = first + Math.floor(i / (3 * MODEL_DIMENSIONS));
      out[row * MODEL_DIMENSIONS + (i % MODEL_DIMENSIONS)] += hidden[i] / 3;
    }
  }
  return out;
}

function weightOf(id) {
  const rank = Math.max(id - FIRST_BY_FREQUENCY + 1, 1);
  const frequency = id >= FIRST_BY_FREQUENCY ? 1 / (rank * 11) : 0.01;
  return SMOOTHING / (SMOOTHING + frequency);
}

function serialize(kept, { values, scales }) {
  const texts = Buffer.from(kept.map(({ text }) => text).join(""), "ascii");
  const tables = 24 + kept.length * 5 + texts.length;
  const vectors = Math.ceil(tables / 64) * 64;
  const out = Buffer.alloc(vectors + values.length);
  out.write("DNTWORD1", 0, "ascii");
  out.writeUInt32LE(kept.length, 8);
  out.writeUInt32LE(DIMENSIONS, 12);
  out.writeUInt32LE(texts.length, 16);
  let at = 24;
  for (const scale of scales) at = out.writeUInt16LE(Math.round(scale * UNIT * SCALE_FRACTION), at);
  for (const { id } of kept) at = out.writeUInt16LE(Math.round(weightOf(id) * WEIGHT_UNIT), at);
  for (const { text } of kept) at = out.writeUInt8(text.length, at);
  texts.copy(out, at);
  Buffer.from(values.buffer).copy(out, vectors);
  return out;
}
