import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "../../bench/lib/report.js";
import { dataFolder } from "./quality/files.js";

const RUN = fileURLToPath(new URL("../../bench/run.js", import.meta.url));
const { folder, file } = dataFolder();

const turns = ["The kite was red.", "It rained on Monday.", "We ate plums."].map((content, i) => ({
  id: `t${i}`,
  content,
}));
const questions = turns.map(({ id, content }) => ({ question: `${content}?`, evidence: [id] }));
const path = file({ conversations: [{ id: "c", turns, questions }] });

function latency(...args: string[]) {
  const json = join(folder, "latency.json");
  const { status, stderr } = spawnSync(
    process.execPath,
    [RUN, "latency", "--dataset", "generic", "--path", path, "--json", json, ...args],
    { encoding: "utf8" },
  );
  assert.equal(status, 0, stderr);
  return (JSON.parse(readFileSync(json, "utf8")) as Report).rows;
}

describe("the latency bench", () => {
  it("gives each strategy's three costs and the stages of the search", () => {
    const rows = latency("--strategies", "hybrid,recency", "--budget", "50");
    for (const strategy of ["hybrid", "recency"]) {
      const value = (metric: string) =>
        rows.find((row) => row.name === strategy && row.metric === metric)?.value ?? Number.NaN;
      assert.ok(value("tokens-per-query") > 0 && value("tokens-per-query") <= 50);
      assert.ok(value("total-time") === value("search-time") && value("search-time") > 0);
      for (const stage of ["encode", "rank", "pack"]) {
        assert.ok(value(`search-time: ${stage}`) <= value("search-time"), stage);
      }
      assert.ok(value("search-time-p99") > 0);
    }
  });

  it("marks what others published", () => {
    const published = latency("--strategies", "recency").filter(
      ({ name }) => !name.startsWith("recency"),
    );
    assert.ok(published.length > 10);
    for (const { name } of published) assert.match(name, /\(published, not run here\)$/);
  });

  it("runs under each kernel asked for", () => {
    const rows = latency("--strategies", "hybrid", "--kernels", "scalar");
    assert.ok(rows.some(({ name }) => name === "hybrid [scalar]"));
    assert.equal(rows.filter(({ name }) => name.startsWith("MemOS (")).length, 2);
  });
});
