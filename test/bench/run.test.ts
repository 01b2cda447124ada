import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const RUN = fileURLToPath(new URL("../../bench/run.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "dentate-bench-"));
after(() => rmSync(folder, { recursive: true }));

function bench(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUN, ...args], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { status, stdout, stderr };
}

function reportFile(name: string, suite: string, value: number): string {
  const file = join(folder, name);
  const machine = { cpu: "c", cores: 2, memoryGiB: 8, os: "o", node: "v20", kernel: "scalar" };
  const rows = [{ name: "n", metric: "m", value, unit: "ms" }];
  const content = { suite, machine, commit: "abc", date: "2026-01-01", options: {}, rows };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe("the bench runner", () => {
  it("lists its suites", () => {
    const { status, stdout } = bench("--help");
    assert.equal(status, 0);
    assert.match(stdout, /quality/);
  });

  it("answers misuse with one sentence and exit code 2", () => {
    const cases = [
      [],
      ["no-such-suite"],
      ["constructor"],
      ["compare"],
      ["compare", "one.json"],
      ["compare", join(folder, "absent"), join(folder, "absent")],
      ["quality", "--no-such-option"],
      ["memory", "--json"],
    ];
    for (const args of cases) {
      const { status, stdout, stderr } = bench(...args);
      assert.equal(status, 2, `${args.join(" ")}: ${stderr}`);
      assert.equal(stdout, "");
      assert.notEqual(stderr, "");
      assert.doesNotMatch(stderr, /^\s+at /m);
    }
  });

  it("compares two reports with ratios", () => {
    const { status, stdout } = bench(
      "compare",
      reportFile("a.json", "memory", 2),
      reportFile("b.json", "memory", 3),
    );
    assert.equal(status, 0);
    assert.match(stdout, /n +m +2 +3 +1\.500 +ms/);
  });

  it("refuses to compare runs of different suites, and files that are no report", () => {
    const a = reportFile("c.json", "memory", 2);
    assert.equal(bench("compare", a, reportFile("d.json", "wavelet", 3)).status, 2);
    const broken = join(folder, "broken.json");
    for (const text of ["{", "null", "[]", '{"suite":"memory"}']) {
      writeFileSync(broken, text);
      assert.equal(bench("compare", a, broken).status, 2, text);
    }
  });
});
