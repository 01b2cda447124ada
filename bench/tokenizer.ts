// The tokenizer beside gpt-tokenizer (JavaScript) and tiktoken (Rust in WebAssembly): the same ids
// from the same text in one run, interleaved. Texts are what the development packages bring.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Command } from "commander";
import { get_encoding } from "tiktoken";
import { loadTokenizer } from "../src/text/tokenizer.js";
import { interleave } from "./lib/interleave.js";
import { type Row, type SuiteOptions, UsageError } from "./lib/row.js";

export interface TokenizerOptions extends SuiteOptions {
  readonly path?: string;
}

interface Subject {
  readonly name: string;
  encode(text: string): ArrayLike<number>;
  count(text: string): number;
  decode(tokens: Uint32Array): string;
}

/** About what one turn of a conversation has, and what a prompt of 2,000 tokens has, in UTF-16. */
const TURN = 200;
const PROMPT = 8000;
const PROMPT_TOKENS = 2000;
const RUN = 20_000;

const require = createRequire(import.meta.url);

export function configure(command: Command): void {
  command.option("--path <file>", "also this text");
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const start = performance.now();
  loadTokenizer();
  const rows: Row[] = [
    { name: "dentate", metric: "load", value: performance.now() - start, unit: "ms" },
  ];
  const subjects = [dentate(), gptTokenizer(), tiktoken()];
  const rounds = options.quick ? 3 : 9;
  for (const [name, whole] of Object.entries(texts(options))) {
    const text = options.quick ? whole.slice(0, 50_000) : whole;
    rows.push(...measureText(name, text, subjects, rounds));
  }
  rows.push(...measureRuns(subjects[0]!));
  return rows;
}

function measureText(
  name: string,
  text: string,
  subjects: readonly Subject[],
  rounds: number,
): Row[] {
  const turns = cut(text, TURN);
  const prompts = cut(text, PROMPT);
  const tokens = loadTokenizer().encode(text);
  const slices: Uint32Array[] = [];
  for (let at = 0; at < tokens.length; at += PROMPT_TOKENS) {
    slices.push(tokens.subarray(at, at + PROMPT_TOKENS));
  }
  const sum = <T>(items: readonly T[], of: (item: T) => number) =>
    items.reduce((total, item) => total + of(item), 0);
  const megabytes = Buffer.byteLength(text) / 1e6;
  return [
    ...compare(subjects, rounds, `${name}-encode-turn`, { count: turns.length, unit: "us" }, (s) =>
      sum(turns, (turn) => s.encode(turn).length),
    ),
    ...compare(subjects, rounds, `${name}-count-8k`, { count: prompts.length, unit: "us" }, (s) =>
      sum(prompts, (prompt) => s.count(prompt)),
    ),
    ...compare(subjects, rounds, `${name}-decode-2000`, { count: slices.length, unit: "us" }, (s) =>
      sum(slices, (slice) => s.decode(slice).length),
    ),
    ...compare(
      subjects,
      rounds,
      `${name}-encode`,
      { megabytes, unit: "MB/s" },
      (s) => s.encode(text).length,
    ),
  ];
}

/** One row a subject, and for each of the others how many times our time theirs is. */
function compare(
  subjects: readonly Subject[],
  rounds: number,
  metric: string,
  scale: { count: number; unit: "us" } | { megabytes: number; unit: "MB/s" },
  work: (subject: Subject) => number,
): Row[] {
  const times = interleave(
    rounds,
    subjects.map((subject) => () => work(subject)),
  );
  return subjects.flatMap((subject, i) => {
    const { name } = subject;
    const ms = times[i]!;
    const value = scale.unit === "us" ? (ms * 1000) / scale.count : (scale.megabytes / ms) * 1000;
    const row: Row = { name, metric, value, unit: scale.unit };
    if (i === 0) return [row];
    return [row, { name: `${name} ÷ dentate, time`, metric, value: ms / times[0]!, unit: "ratio" }];
  });
}

/** Long runs without a break, where a merge may turn quadratic; ours alone, since others' do. */
function measureRuns(subject: Subject): Row[] {
  return ["a", " ", "字", "😀", "="].map((unit) => {
    const text = unit.repeat(RUN);
    const [ms] = interleave(3, [() => subject.encode(text).length]);
    const metric = `encode-run-of-${RUN}-${unit === " " ? "spaces" : unit}`;
    return { name: subject.name, metric, value: ms!, unit: "ms" };
  });
}

function cut(text: string, length: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + length);
    if (/[\ud800-\udbff]/.test(text[end - 1]!) && end < text.length) end++;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

function texts(options: TokenizerOptions): Record<string, string> {
  const found: Record<string, string> = {
    english: ["gpt-tokenizer/README.md", "yaml/README.md", "typescript/ThirdPartyNoticeText.txt"]
      .map((file) => readFileSync(fromPackage(file), "utf8"))
      .join("\n"),
    code: readFileSync(require.resolve("typescript"), "utf8").slice(0, 500_000),
    japanese: translation("ja"),
    chinese: translation("zh-cn"),
    russian: translation("ru"),
  };
  if (options.path !== undefined) {
    try {
      found["file"] = readFileSync(options.path, "utf8");
    } catch (cause) {
      throw new UsageError(`cannot read "${options.path}"`, { cause });
    }
  }
  return found;
}

/** TypeScript's messages in another language. */
function translation(language: string): string {
  const file = require.resolve(`typescript/lib/${language}/diagnosticMessages.generated.json`);
  const messages = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  return Object.values(messages).join("\n");
}

function fromPackage(file: string): string {
  const [name, ...path] = file.split("/");
  const root = require.resolve(`${name}/package.json`).slice(0, -"package.json".length);
  return root + path.join("/");
}

function dentate(): Subject {
  const tokenizer = loadTokenizer();
  return {
    name: "dentate",
    encode: (text) => tokenizer.encode(text),
    count: (text) => tokenizer.count(text),
    decode: (tokens) => tokenizer.decode(tokens),
  };
}

function gptTokenizer(): Subject {
  const library = require("gpt-tokenizer/cjs/encoding/o200k_base") as {
    encode(text: string, options: { disallowedSpecial: Set<string> }): number[];
    countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
    decode(tokens: Iterable<number>): string;
  };
  const plain = { disallowedSpecial: new Set<string>() };
  return {
    name: "gpt-tokenizer",
    encode: (text) => library.encode(text, plain),
    count: (text) => library.countTokens(text, plain),
    decode: (tokens) => library.decode(tokens),
  };
}

function tiktoken(): Subject {
  const encoding = get_encoding("o200k_base");
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  return {
    name: "tiktoken (wasm)",
    encode: (text) => encoding.encode_ordinary(text),
    count: (text) => encoding.encode_ordinary(text).length,
    decode: (tokens) => utf8.decode(encoding.decode(tokens)),
  };
}
