import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { MINILM, WITHOUT_MINILM } from "./minilm.js";

const INDEX = new URL("../../src/embed/index.js", import.meta.url).href;

/** The exit code of a program that has loaded the model. */
function codeOf(program: string): number | null {
  const source = `
    import { OnnxEmbedder } from ${JSON.stringify(INDEX)};
    const embedder = await OnnxEmbedder.fromFolder(${JSON.stringify(MINILM)}, { threads: 2 });
    const long = () => embedder.embed(Array(50).fill("a long text ".repeat(200)));
    ${program}`;
  const args = ["--input-type=module", "--eval", source];
  return spawnSync(process.execPath, args, { stdio: "ignore" }).status;
}

// onnxruntime-node aborts the process where a thread is stopped in the middle of a run.
describe("a process with a model that is not closed", { skip: WITHOUT_MINILM }, () => {
  it("ends when nothing is left to do", () => {
    assert.equal(codeOf("await embedder.embed(['a']);"), 0);
    assert.equal(
      codeOf("embedder.embed(['a', 'b']).then(({ length }) => (process.exitCode = length));"),
      2,
    );
  });

  it("exits with its code while the model runs", () => {
    assert.equal(codeOf("long().catch(() => {}); setTimeout(() => process.exit(3), 100);"), 3);
    assert.equal(codeOf("long().catch(() => {}); setTimeout(() => { throw 'x'; }, 100);"), 1);
  });
});
