import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { wrongTop } from "../../bench/accelerator/cosine.js";
import { crossoverOf } from "../../bench/accelerator/crossover.js";
import { lineChart, stackedCharts } from "../../bench/lib/chart.js";
import { Latency } from "../../bench/lib/latency.js";
import type { Report } from "../../bench/lib/report.js";
import { dataFolder } from "./quality/files.js";

const RUN = fileURLToPath(new URL("../../bench/run.js", import.meta.url));
const { folder } = dataFolder();

describe("the accelerator bench", () => {
  it("measures every operation of each accelerator, and writes a table and charts", () => {
    const [json, markdown, svg] = ["report.json", "table.md", "charts.svg"].map((name) =>
      join(folder, name),
    );
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        ...[RUN, "accelerator", "--quick", "--no-limits", "--sizes", "40,80"],
        ...["--accelerators", "native,gpujs,reference"],
        ...["--json", json!, "--markdown", markdown!, "--svg", svg!],
      ],
      { encoding: "utf8", env: { ...process.env, DENTATE_GPUJS_MODE: "cpu" } },
    );
    assert.equal(status, 0, stderr);
    const { rows } = JSON.parse(readFileSync(json!, "utf8")) as Report;
    const value = (name: string, metric: string) =>
      rows.find((row) => row.name === name && row.metric === metric)?.value ?? Number.NaN;
    for (const accelerator of ["native", "gpujs", "reference"]) {
      // The smaller size: who is slow there, as on a busy machine, is not asked for the larger one.
      const name = `hammingTopK, 1 query, n=4e1 ${accelerator}`;
      assert.ok(value(name, "call-p50") > 0 && value(name, "call-p99") >= value(name, "call-p50"));
      assert.ok(value(name, "rate") > 0);
    }
    assert.ok(value("subspaces, groups of 32, n=4e1 native", "upload") >= 0);
    assert.ok(!rows.some(({ name }) => name.startsWith("subspaces") && name.endsWith("gpujs")));
    assert.match(readFileSync(markdown!, "utf8"), /^\| operation \| rows \| native, ms/);
    assert.match(readFileSync(svg!, "utf8"), /<title>embed, chunks of 128<\/title>/);
  });
});

describe("what is checked before it is timed", () => {
  const truth = [0.9, 0.1, 0.5, 0.5, 0.7];
  const top = (...pairs: [number, number][]) => ({
    ids: Uint32Array.from(pairs, ([id]) => id),
    scores: pairs.map(([, score]) => score),
  });

  it("takes the best rows, whichever of equals", () => {
    assert.equal(wrongTop(top([0, 0.9], [4, 0.7], [2, 0.5]), truth, 3, 0), undefined);
    assert.equal(wrongTop(top([0, 0.9], [4, 0.7], [3, 0.5]), truth, 3, 0), undefined);
    assert.equal(wrongTop(top([0, 0.9001], [4, 0.7]), truth, 2, 1e-3), undefined);
  });

  it("refuses a wrong score, order, count, and a row that is missing or there twice", () => {
    for (const wrong of [
      top([0, 0.8], [4, 0.7]),
      top([4, 0.7], [0, 0.9]),
      top([0, 0.9]),
      top([0, 0.9], [2, 0.5]),
      top([0, 0.9], [0, 0.9]),
    ]) {
      assert.ok(wrongTop(wrong, truth, 2, 1e-3) !== undefined);
    }
  });
});

describe("crossoverOf", () => {
  const of = (...pairs: [number, number][]) =>
    pairs.map(([size, ms]) => {
      const calls = new Latency();
      calls.record(ms);
      return { size, calls };
    });
  const native = of([10, 1], [100, 10], [1000, 100]);

  it("is the size from which on it is faster at all sizes", () => {
    assert.deepEqual(crossoverOf(of([10, 2], [100, 5], [1000, 6]), native), {
      rows: 100,
      most: 1000,
    });
    assert.deepEqual(crossoverOf(of([10, 0.5], [100, 20], [1000, 6]), native), {
      rows: 1000,
      most: 1000,
    });
    assert.deepEqual(crossoverOf(of([10, 0.5], [100, 20]), native), { rows: undefined, most: 100 });
    assert.equal(crossoverOf(of([7, 1]), native), undefined);
  });
});

describe("charts in powers of ten", () => {
  it("stand below one another, and have a line where each power is", () => {
    const points = [
      { x: 1000, y: 0.02 },
      { x: 100_000, y: 3 },
    ];
    const labels = { title: "a", x: "rows", y: "ms", powersOfTen: true };
    const svg = stackedCharts([lineChart([{ name: "n", points }], labels), lineChart([], labels)]);
    for (const tick of ["0.01", "0.1", "10", "1,000", "10,000", "100,000"]) {
      assert.ok(svg.includes(`>${tick}<`), tick);
    }
    assert.equal(svg.match(/<svg /g)?.length, 3);
    assert.ok(!svg.includes("NaN"));
  });
});
