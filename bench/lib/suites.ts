import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Suite, UsageError } from "./row.js";

/** Every suite, by name: `bench/NAME.ts` exports what {@link Suite} says. */
export const SUITES: Readonly<Record<string, string>> = {
  wavelet: "the dynamic wavelet matrix beside sdsl-lite",
  hamming: "Hamming search beside a plain read, faiss, sqlite-vec and JavaScript",
  atoms: "online clustering beside a plain read of the members and JavaScript",
  accelerator: "every operation on every accelerator at hand, beside what the machine could do",
  kernels: "the CPU's kernels for dense vectors beside a plain read, peak arithmetic and LAPACK",
  tokenizer: "encoding and decoding beside gpt-tokenizer and tiktoken",
  memory: "add and recall through the public API: latency, event-loop delay, bytes",
  storage:
    "a store on disk: opening, bytes, durable adds beside better-sqlite3, many banks, merging",
  service: "recalls and durable adds over HTTP beside the same calls in process, many tenants",
  quality: "what recall finds on labelled conversations, beside BM25 and floors",
  embed: "a sentence model through OnnxEmbedder beside onnxruntime driven directly",
  latency: "tokens, search time and total time of a query, beside published figures",
  peers: "the same turns in mem0, LangChain's memory store and Mastra's memory",
  factorial: "clustering times packing, as the RSM paper compares them, on AMA-Bench and RealMem",
};

/** Loads one suite: only its own dependencies are then needed. */
export async function loadSuite(name: string): Promise<Suite> {
  if (!Object.hasOwn(SUITES, name)) {
    throw new UsageError(
      `unknown suite "${name}": expected ${Object.keys(SUITES).join(", ")} or compare`,
    );
  }
  const url = new URL(`../${name}.js`, import.meta.url);
  if (!existsSync(fileURLToPath(url))) throw new UsageError(`the suite "${name}" is not built`);
  return (await import(url.href)) as Suite;
}
