// Embedding throughput: OnnxEmbedder beside onnxruntime-node driven directly, on the same texts, in
// rounds that take turns. What is driven directly has its best case: tokens made beforehand, texts sorted by
// length, and the batch size that is fastest of those tried.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { OnnxEmbedder } from "../src/embed/index.js";
import { readConversations } from "../src/ingest/read-conversations.js";
import { examplePath } from "../src/package.js";
import { DirectModel } from "./embed/direct-model.js";
import { contest } from "./lib/contest.js";
import { list, positiveInteger } from "./lib/options.js";
import { progress } from "./lib/progress.js";
import { type Row, type SuiteOptions, UsageError } from "./lib/row.js";

interface EmbedOptions extends SuiteOptions {
  readonly model: string;
  readonly texts: number;
  readonly threads: readonly number[];
  readonly batches: readonly number[];
  readonly rounds: number;
}

const QUICK = { texts: 8, rounds: 1, batches: [1, 8] } as const;
const MODEL = fileURLToPath(
  new URL("../../../.cache/models/onnx-community/all-MiniLM-L6-v2-ONNX", import.meta.url),
);
/** Turns of a text: one alone, and as many as a chunk has. */
const TURNS = { turns: 1, chunks: 5 } as const;

export function configure(command: Command): void {
  command
    .option("--model <folder>", "a Hugging Face folder; npm run models fetches one", MODEL)
    .option("--texts <n>", "of each kind", positiveInteger, 52)
    .option("--threads <counts>", "threads of each side", list(positiveInteger), [1, 2])
    .option(
      "--batches <sizes>",
      "texts a run, tried directly",
      list(positiveInteger),
      [1, 4, 16, 52],
    )
    .option("--rounds <n>", "best of", positiveInteger, 5);
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { model, texts, threads, batches, rounds } = {
    ...(options as EmbedOptions),
    ...(options.quick ? QUICK : {}),
  };
  if (!existsSync(model)) {
    throw new UsageError(`no model in "${model}": npm run models fetches it, with the network`);
  }
  const kinds = await readTexts(texts);
  const rows: Row[] = [];
  const bar = progress("measuring", threads.length * Object.keys(kinds).length);
  for (const count of threads) {
    const direct = await DirectModel.load(model, count);
    const embedder = await OnnxEmbedder.fromFolder(model, { threads: count });
    try {
      for (const [kind, of] of Object.entries(kinds)) {
        rows.push(
          ...(await measure(`${kind}, ${count} threads`, of, embedder, direct, batches, rounds)),
        );
        bar.step();
      }
    } finally {
      await embedder.close();
      await direct.close();
    }
  }
  bar.stop();
  return rows;
}

async function measure(
  name: string,
  texts: readonly string[],
  embedder: OnnxEmbedder,
  direct: DirectModel,
  batches: readonly number[],
  rounds: number,
): Promise<Row[]> {
  const encoded = direct.encode(texts);
  const tokens = encoded.reduce((sum, ids) => sum + ids.length, 0);
  await embedder.embed(texts);
  const best = await contest(
    rounds,
    new Map([
      ["embedder", () => elapsed(() => embedder.embed(texts))],
      ...batches.map(
        (size) => [`batch ${size}`, () => elapsed(() => direct.embed(encoded, size))] as const,
      ),
    ]),
  );
  const ours = best.get("embedder")!;
  const [fastest, least] = [...best]
    .filter(([contestant]) => contestant !== "embedder")
    .reduce((a, b) => (b[1] < a[1] ? b : a));
  const row = (metric: string, value: number, unit: string) => ({ name, metric, value, unit });
  return [
    row("tokens", tokens / texts.length, "a text"),
    row("OnnxEmbedder", (1000 * texts.length) / ours, "texts/s"),
    ...[...best]
      .filter(([contestant]) => contestant !== "embedder")
      .map(([contestant, ms]) =>
        row(`onnxruntime directly, ${contestant}`, (1000 * texts.length) / ms, "texts/s"),
      ),
    row(`OnnxEmbedder / directly, ${fastest}`, least / ours, "ratio"),
  ];
}

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The bundled conversation, turn by turn and chunk by chunk: from its start, again and again if need be. */
async function readTexts(count: number): Promise<Record<keyof typeof TURNS, string[]>> {
  const [conversation] = await readConversations(examplePath("conversation.jsonl"));
  const lines = conversation!.turns.map(({ speaker, content }) => `${speaker}: ${String(content)}`);
  const of = (turns: number) =>
    Array.from({ length: count }, (_, i) =>
      Array.from({ length: turns }, (_, j) => lines[(i * turns + j) % lines.length]).join("\n"),
    );
  return { turns: of(TURNS.turns), chunks: of(TURNS.chunks) };
}
