import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "../../bench/lib/report.js";
import { ENGINES } from "../../bench/quality/peer-engines.js";
import { dataFolder } from "./quality/files.js";

const RUN = fileURLToPath(new URL("../../bench/run.js", import.meta.url));
const { folder, file } = dataFolder();

const turns = ["The kite was red.", "It rained on Monday.", "We ate plums."].map((content, i) => ({
  id: `t${i}`,
  content,
}));
const questions = [{ question: "What colour was the kite?", evidence: ["t0"] }];
const path = file({ conversations: [{ id: "c", turns, questions }] });

describe("the peers bench", () => {
  it("measures Dentate in any case, and each engine or says why it could not", () => {
    // Without npm nothing can be installed here: engines run only where they are already.
    const empty = join(folder, "bin");
    mkdirSync(empty);
    const json = join(folder, "peers.json");
    const { status, stderr } = spawnSync(
      process.execPath,
      [RUN, "peers", "--dataset", "generic", "--path", path, "--budgets", "60", "--json", json],
      { encoding: "utf8", env: { ...process.env, PATH: empty } },
    );
    assert.equal(status, 0, stderr);
    const { rows } = JSON.parse(readFileSync(json, "utf8")) as Report;
    const complete = (name: string) =>
      rows.find((row) => row.name === name && row.metric === "evidence-complete@60")?.value;
    assert.equal(complete("hybrid"), 100);
    for (const name of ENGINES) {
      const missing = rows.find((row) => row.name === `${name} (not run)`);
      if (missing === undefined) assert.equal(complete(name), 100, name);
      else assert.match(stderr, new RegExp(`${name} was not run: `));
    }
  });

  it("answers misuse with one sentence and exit code 2", () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [RUN, "peers", "--dataset", "generic", "--path", path, "--engines", "mem1"],
      { encoding: "utf8" },
    );
    assert.equal(status, 2);
    assert.match(stderr, /mem1/);
  });
});
