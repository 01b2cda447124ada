import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "../../../bench/lib/report.js";

const RUN = fileURLToPath(new URL("../../../bench/run.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "dentate-memory-"));
after(() => rmSync(folder, { recursive: true }));

describe("the memory bench", () => {
  it("measures adds and recalls, and finds every resolved add in the next recall", () => {
    const json = join(folder, "report.json");
    const args = ["memory", "--quick", "--sizes", "2000", "--questions", "5", "--json", json];
    const { status, stderr } = spawnSync(process.execPath, [RUN, ...args], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const { rows, options } = JSON.parse(readFileSync(json, "utf8")) as Report;
    assert.equal(options["budget"], 2000);
    const value = (name: string, metric: string) =>
      rows.find((row) => row.name === name && row.metric === metric)?.value ?? Number.NaN;
    for (const metric of ["add-p50", "add-p95", "add-p99", "add-ops", "recall-ops", "turns"]) {
      assert.ok(value("2000 tokens", metric) > 0, metric);
    }
    for (const metric of ["recall-p50", "recall-p99", "recall-long-p50", "recall-long-p99"]) {
      assert.ok(value("2000 tokens/hybrid", metric) > 0, metric);
    }
    assert.ok(Math.abs(value("2000 tokens", "tokens-per-turn") - 50) < 10);
    assert.equal(value("2000 tokens/64 callers", "adds-in-next-recall"), 100);
    assert.ok(value("2000 tokens/64 callers", "event-loop-delay-p99") > 0);
  });
});
