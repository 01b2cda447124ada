import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { DentateError } from "../errors.js";
import { outOfRange } from "../internal/check.js";
import type { EmbedKind } from "./embedder.js";
import { POOLINGS, type Pooling } from "./pooling.js";

/** What is put before a text, by what it is. */
export type Prefixes = Readonly<Record<EmbedKind, string>>;

/** Both files of a tokenizer, as they were parsed. */
export interface TokenizerFiles {
  readonly tokenizer: object;
  readonly config: object;
}

/**
 * A model in the layout of the Hugging Face hub, but for its weights, which differ by who runs it:
 *
 *   tokenizer.json tokenizer_config.json     text to token ids, and the most that the model takes
 *   config.json                              optional, as are the next ones: its kind, and how long texts may be
 *   1_Pooling/config.json                    what sentence-transformers adds
 *   sentence_bert_config.json                the most tokens that it was made for
 *   config_sentence_transformers.json        prefixes
 *
 * Many copies for other runtimes lack what is optional: then {@link FAMILIES} knows the common ones by their name.
 */
export interface ModelFolder {
  readonly directory: string;
  readonly name: string;
  readonly tokenizer: TokenizerFiles;
  readonly pooling: Pooling;
  readonly maxTokens: number;
  readonly prefixes: Prefixes;
}

/** What the caller says of a model, instead of what its folder does. */
export interface ModelOverrides {
  readonly name?: string | undefined;
  readonly pooling?: Pooling | undefined;
  readonly maxTokens?: number | undefined;
  readonly queryPrefix?: string | undefined;
  readonly documentPrefix?: string | undefined;
}

interface Family {
  readonly name: RegExp;
  readonly pooling: Pooling;
  readonly query?: string;
  readonly document?: string;
}

const FOR_SEARCH = "Represent this sentence for searching relevant passages: ";
/** As their authors say that they are used. The first whose name fits counts. */
const FAMILIES: readonly Family[] = [
  { name: /bge-m3/i, pooling: "cls" },
  { name: /bge-.*-zh/i, pooling: "cls", query: "为这个句子生成表示以用于检索相关文章：" },
  { name: /bge-|mxbai-embed/i, pooling: "cls", query: FOR_SEARCH },
  { name: /e5-.*instruct/i, pooling: "mean" },
  { name: /(^|[^a-z])e5-/i, pooling: "mean", query: "query: ", document: "passage: " },
  { name: /nomic-embed/i, pooling: "mean", query: "search_query: ", document: "search_document: " },
];

/** A tokenizer's own way to say that it knows no limit is a number such as 1e30. */
const MOST_TOKENS = 65_536;
const UNKNOWN_MOST_TOKENS = 512;

/**
 * @throws RangeError: more tokens than the model takes;
 * {@link DentateError} `DENTATE_IO`: a file is missing or cannot be read, `DENTATE_CORRUPTION`: one is no JSON.
 */
export async function readModelFolder(
  folder: string,
  overrides: ModelOverrides,
): Promise<ModelFolder> {
  const directory = resolve(folder);
  const [config, tokenizer, tokenizerConfig, pooling, sentences, prompts] = await Promise.all([
    readJson(directory, "config.json", {}),
    readJson(directory, "tokenizer.json"),
    readJson(directory, "tokenizer_config.json"),
    readJson(directory, "1_Pooling/config.json", {}),
    readJson(directory, "sentence_bert_config.json", {}),
    readJson(directory, "config_sentence_transformers.json", {}),
  ]);
  const name = overrides.name ?? basename(directory);
  const names = [name, basename(directory), textOf(config["_name_or_path"]) ?? ""];
  const family = FAMILIES.find((known) => names.some((each) => known.name.test(each)));
  const said = prompts["prompts"] as Record<string, unknown> | undefined;
  const positions = countOf(config["max_position_embeddings"]);
  // Models of this kind number their positions from the padding's on.
  const unused = /roberta/.test(textOf(config["model_type"]) ?? "") ? 2 : 0;
  const most = Math.min(
    positions === undefined ? MOST_TOKENS : positions - unused,
    countOf(tokenizerConfig["model_max_length"]) ?? MOST_TOKENS,
  );
  const taken = most === MOST_TOKENS ? UNKNOWN_MOST_TOKENS : most;
  const made = Math.min(countOf(sentences["max_seq_length"]) ?? taken, taken);
  if (overrides.maxTokens !== undefined && overrides.maxTokens > most) {
    throw outOfRange("options.maxTokens", `at most the model's ${most}`, overrides.maxTokens);
  }
  return {
    directory,
    name,
    tokenizer: { tokenizer, config: tokenizerConfig },
    pooling: overrides.pooling ?? poolingOf(pooling) ?? family?.pooling ?? "mean",
    maxTokens: overrides.maxTokens ?? made,
    prefixes: {
      query: overrides.queryPrefix ?? textOf(said?.["query"]) ?? family?.query ?? "",
      document:
        overrides.documentPrefix ??
        textOf(said?.["document"]) ??
        textOf(said?.["passage"]) ??
        family?.document ??
        "",
    },
  };
}

/**
 * What the vectors of a model depend on, in 16 hexadecimal digits: its weights, its tokenizer, and what it
 * is used with. Stores keep it with the model's name, so that vectors of two models are never compared.
 */
export async function modelDigest(model: ModelFolder, weights: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of [...weights, join(model.directory, "tokenizer.json")]) {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  }
  hash.update(JSON.stringify([model.maxTokens, model.prefixes.query, model.prefixes.document]));
  return hash.digest("hex").slice(0, 16);
}

/** The first of the files that is there. @throws {@link DentateError} `DENTATE_IO`. */
export async function firstFile(directory: string, files: readonly string[]): Promise<string> {
  for (const file of files) {
    const folder = join(directory, file, "..");
    const names: string[] = await readdir(folder).catch(() => []);
    if (names.includes(basename(file))) return join(directory, file);
  }
  throw new DentateError("DENTATE_IO", `${directory} has none of ${files.join(", ")}`);
}

type Json = Readonly<Record<string, unknown>>;

async function readJson(directory: string, file: string, absent?: Json): Promise<Json> {
  const path = join(directory, file);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (absent !== undefined && (cause as NodeJS.ErrnoException).code === "ENOENT") return absent;
    throw new DentateError("DENTATE_IO", `cannot read '${path}' of the model`, { cause });
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return parsed as Json;
  } catch (cause) {
    throw new DentateError("DENTATE_CORRUPTION", `'${path}' is no JSON`, { cause });
  }
  throw new DentateError("DENTATE_CORRUPTION", `'${path}' holds no object`);
}

/** As `1_Pooling/config.json` says it. @throws {@link DentateError}: in a way that is not known here. */
function poolingOf(config: Json): Pooling | undefined {
  const modes = { mean: "mean_tokens", cls: "cls_token", last: "lasttoken" } as const;
  const found = POOLINGS.find((name) => config[`pooling_mode_${modes[name]}`] === true);
  if (found !== undefined) return found;
  const other = Object.keys(config).find(
    (key) => /^pooling_mode_/.test(key) && config[key] === true,
  );
  if (other === undefined) return undefined;
  throw new DentateError("DENTATE_UNAVAILABLE", `the model's pooling '${other}' is not supported`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 1 && value < MOST_TOKENS ? value : undefined;
}
