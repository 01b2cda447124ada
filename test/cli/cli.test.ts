import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "dentate-cli-"));
});
after(() => rmSync(folder, { recursive: true }));

function dentate(...args: string[]) {
  const env = { ...process.env, NO_COLOR: "1" };
  return spawnSync(process.execPath, [main, ...args], { encoding: "utf8", env });
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("dentate", () => {
  it("demo answers from the newest facts, within its budget", () => {
    const { status, stdout, stderr } = dentate("demo");
    assert.equal(status, 0, stderr);
    assert.match(stdout, /Remembered 261 turns/);
    assert.match(stdout, /Rua da Verónica 31/);
    assert.match(stdout, /walnuts/);
    assert.match(stdout, /25 milligrams of Carprofen/);
  });

  it("recall prints the packed text, and as JSON with provenance", () => {
    const plain = dentate("recall", "Which pool does Mara swim in?", "--budget", "300");
    assert.equal(plain.status, 0, plain.stderr);
    assert.match(plain.stdout, /Penha de França/);
    const { status, stdout } = dentate("recall", "the bandsaw", "--budget", "200", "--json");
    assert.equal(status, 0);
    const recall = JSON.parse(stdout);
    assert.ok(recall.tokens <= 200);
    assert.match(recall.items[0].content, /bandsaw/);
    assert.ok(recall.items[0].highlights.length > 0);
  });

  it("ingest counts what it read", () => {
    const path = file("two.jsonl", '{"content":"one"}\n{"content":"two three"}\n');
    const { status, stdout } = dentate("ingest", path, "--json");
    assert.equal(status, 0);
    const { banks } = JSON.parse(stdout);
    assert.equal(banks[0].conversation, "two");
    assert.equal(banks[0].turns, 2);
    assert.ok(banks[0].tokens > 0);
  });

  it("doctor names the kernel in use and why", () => {
    const { status, stdout } = dentate("doctor", "--json");
    assert.equal(status, 0);
    const found = JSON.parse(stdout);
    assert.match(found.kernel, /^(scalar|neon|avx2|avx512): /);
    assert.match(found.tokenizer, /o200k_base/);
  });

  it("answers bad input with one sentence and exit code 2", () => {
    const cases = [
      ["ingest", join(folder, "missing.json")],
      ["ingest", file("broken.json", '[\n{"content": }]')],
      ["ingest", file("field.jsonl", '{"content":"a","colour":"b"}')],
      ["ingest", file("role.jsonl", '{"content":"a","role":"king"}')],
      ["ingest", file("empty.jsonl", "")],
      ["recall", "anything", "--from", join(folder, "missing.jsonl")],
      ["recall", "anything", "--budget", "many"],
      ["recall", "anything", "--strategy", "magic"],
      ["recall"],
      ["remember"],
    ];
    for (const args of cases) {
      const { status, stdout, stderr } = dentate(...args);
      assert.equal(status, 2, `${args.join(" ")}: ${stderr}`);
      assert.equal(stdout, "");
      assert.ok(!stderr.includes("    at "), `a stack trace: ${stderr}`);
    }
  });

  it("asks which conversation is meant where a file has several", () => {
    const conversations = ["a", "b"].map((id) => ({ id, turns: [{ content: `I am ${id}` }] }));
    const path = file("several.json", JSON.stringify({ conversations }));
    const unclear = dentate("recall", "who", "--from", path);
    assert.equal(unclear.status, 2);
    assert.match(unclear.stderr, /a, b/);
    const { status, stdout } = dentate("recall", "who", "--from", path, "--conversation", "b");
    assert.equal(status, 0);
    assert.match(stdout, /I am b/);
  });
});
