import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { TfjsEmbedder, type TfjsEmbedderOptions } from "../../src/embed/index.js";
import { isDentateError } from "../../src/index.js";
import { writeTinyGraph } from "./tiny-graph.js";

const INPUTS = ["serving_default_attention_mask", "serving_default_input_ids"];
const CPU = { backend: "cpu" } as const;

describe("a graph model", () => {
  async function vectorsOf(options: TfjsEmbedderOptions, texts: readonly string[]) {
    const folder = await writeTinyGraph(INPUTS);
    await using embedder = await TfjsEmbedder.fromFolder(folder, {
      ...CPU,
      normalize: false,
      ...options,
    });
    assert.equal(embedder.dimensions, 2);
    const vectors = await embedder.embed(texts);
    await rm(folder, { recursive: true });
    return vectors.map((vector) => [...vector]);
  }

  it("is pooled as it is told, padding left out", async () => {
    const texts = ["a b", "a", "c b a a"];
    assert.deepEqual(await vectorsOf({ pooling: "cls" }, texts), [
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    assert.deepEqual(await vectorsOf({ pooling: "last" }, texts), [
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    const mean = [
      [3 / 4, 5 / 4],
      [1, 1 / 3],
      [13 / 6, 13 / 6],
    ].map((vector) => vector.map(Math.fround));
    assert.deepEqual(await vectorsOf({}, texts), mean);
  });

  it("gives vectors of unit length, and cuts what is too long before its closing token", async () => {
    const [[x, y]] = (await vectorsOf({ normalize: true }, ["b"])) as [[number, number]];
    assert.ok(Math.abs(Math.hypot(x, y) - 1) < 1e-6);
    assert.ok(Math.abs(y / x - 5) < 1e-5);
    assert.deepEqual(await vectorsOf({}, ["c b a a a a a"]), await vectorsOf({}, ["c b a a"]));
  });

  it("says what it cannot do with a folder or its packages", async () => {
    const rejects = (
      folder: string,
      options: TfjsEmbedderOptions,
      code: "DENTATE_IO" | "DENTATE_CORRUPTION" | "DENTATE_UNAVAILABLE",
    ) =>
      assert.rejects(TfjsEmbedder.fromFolder(folder, { ...CPU, ...options }), (error) =>
        isDentateError(error, code),
      );
    const empty = await mkdtemp(join(tmpdir(), "dentate-"));
    await rejects(empty, {}, "DENTATE_IO");
    const folder = await writeTinyGraph(INPUTS);
    await rejects(folder, { file: "other.json" }, "DENTATE_IO");
    await rejects(folder, { packages: empty }, "DENTATE_UNAVAILABLE");
    await rejects(await writeTinyGraph(["input_ids", "pixels"]), {}, "DENTATE_UNAVAILABLE");
    await writeFile(join(folder, "model.json"), "[]");
    await rejects(folder, {}, "DENTATE_CORRUPTION");
  });

  it("refuses options that there are not", async () => {
    const folder = await writeTinyGraph(INPUTS);
    const given = (options: object) => TfjsEmbedder.fromFolder(folder, options);
    await assert.rejects(given({ backend: "webgl" }), RangeError);
    await assert.rejects(given({ backend: 1 }), TypeError);
    await assert.rejects(given({ package: "." }), TypeError);
    await assert.rejects(given({ packages: "" }), RangeError);
  });
});
