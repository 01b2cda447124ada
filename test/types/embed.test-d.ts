// Compiled, never run: what must compile, and, under each expectation, what must not.
import {
  type CachedEmbedder,
  cachedEmbedder,
  type Embedder,
  OnnxEmbedder,
  type OpenAiEmbedder,
  openAiEmbedder,
  type Pooling,
  TfjsEmbedder,
} from "../../src/embed/index.js";
import { Memory } from "../../src/index.js";

export async function mustCompile(): Promise<void> {
  await using model: OnnxEmbedder = await OnnxEmbedder.fromFolder("./model", {
    file: "onnx/model.onnx",
    pooling: "cls",
    normalize: true,
    maxTokens: 256,
    queryPrefix: "query: ",
    documentPrefix: "passage: ",
    threads: 2,
    batchTokens: 1024,
    threshold: 0.6,
    name: "mine",
  });
  const pooling: Pooling = model.pooling;
  const cached: CachedEmbedder = cachedEmbedder(model, {
    directory: "./vectors",
    maxEntries: 1000,
    onProgress: ({ texts, cached, embedded }) => texts === cached + embedded,
  });
  const service: OpenAiEmbedder = await openAiEmbedder({
    model: "text-embedding-3-small",
    apiKey: process.env["OPENAI_API_KEY"],
    dimensions: 512,
    encodingFormat: "float",
  });
  await using graph: TfjsEmbedder = await TfjsEmbedder.fromFolder("./graph");
  const any: readonly Embedder[] = [model, cached, service, graph];
  const [vector]: Float32Array[] = await model.embed([pooling], {
    kind: "query",
    signal: AbortSignal.timeout(10),
  });
  await using memory = await Memory.open("./store", { embedder: any[vector!.length] });
  await memory.indexed({ onProgress: ({ chunks, total }) => chunks <= total });
}

export async function mustNotCompile(model: OnnxEmbedder): Promise<void> {
  // @ts-expect-error: no such way
  await OnnxEmbedder.fromFolder("./model", { pooling: "max" });
  // @ts-expect-error: it is made by fromFolder
  new OnnxEmbedder("./model");
  // @ts-expect-error: which model?
  await openAiEmbedder({ apiKey: "x" });
  // @ts-expect-error: one that a memory has itself has nothing to be cached
  cachedEmbedder("static");
  // @ts-expect-error: a text is one of several
  await model.embed("text");
}
