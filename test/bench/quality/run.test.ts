import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "../../../bench/lib/report.js";
import { STRATEGIES } from "../../../bench/quality/strategies.js";

const RUN = fileURLToPath(new URL("../../../bench/run.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "dentate-quality-"));
after(() => rmSync(folder, { recursive: true }));

const FACTS = [
  "My sister Petra moved to Ljubljana in March.",
  "The kiln broke down again, so no pottery this week.",
  "We planted quinces behind the shed.",
  "Oskar finally passed his glider exam.",
  "The choir sings Brahms at Easter.",
  "I lent the pressure washer to Hanna.",
];

/** Two conversations: each fact is a turn between two of small talk. */
const SET = {
  conversations: ["a", "b"].map((id) => ({
    id,
    turns: FACTS.flatMap((content, i) => [
      { id: `f${i}`, session: `s${i >> 1}`, speaker: "Vera", at: `2026-01-0${i + 1}`, content },
      {
        id: `x${i}`,
        session: `s${i >> 1}`,
        speaker: "Iris",
        at: `2026-01-0${i + 1}`,
        content: "I see.",
      },
    ]),
    questions: [
      { question: "Where did Petra move?", evidence: ["f0"], category: "single" },
      {
        question: "What was planted, and who passed an exam?",
        evidence: ["f2", "f3"],
        category: "multi",
      },
      { question: "What did Hanna borrow?", evidence: [], category: "single" },
    ],
  })),
};
const path = join(folder, "set.json");
writeFileSync(path, JSON.stringify(SET));

function quality(...args: string[]) {
  return spawnSync(process.execPath, [RUN, "quality", ...args], { encoding: "utf8" });
}

function rowsOf(...args: string[]): (name: string, metric: string) => number | undefined {
  const json = join(folder, "report.json");
  const generic = ["--dataset", "generic", "--path", path, "--json", json];
  const { status, stderr } = quality(...generic, ...args);
  assert.equal(status, 0, stderr);
  const { rows, suite } = JSON.parse(readFileSync(json, "utf8")) as Report;
  assert.equal(suite, "quality");
  return (name, metric) => rows.find((row) => row.name === name && row.metric === metric)?.value;
}

describe("the quality bench", () => {
  it("runs every strategy on a small set", () => {
    const value = rowsOf("--strategies", STRATEGIES.join(","), "--budgets", "40,400");
    assert.equal(value("dataset", "questions"), 4);
    assert.equal(value("dataset", "questions-left-out"), 2);
    for (const name of STRATEGIES as readonly string[]) {
      assert.equal(value(name, "questions"), 4, name);
      assert.equal(value(`${name}/multi`, "questions"), 2, name);
      const all = name === "none" ? 0 : name === "hippocampus-paper" ? undefined : 100;
      if (all !== undefined) assert.equal(value(name, "evidence-complete@400"), all, name);
      assert.ok((value(name, "tokens@40") ?? 99) <= 40, name);
      assert.ok((value(name, "recall-p50") ?? 0) > 0, name);
    }
    for (const name of STRATEGIES.filter((strategy: string) =>
      /^bm25|^hybrid|^hippocampus$/.test(strategy),
    )) {
      assert.equal(value(`${name}/single`, "evidence-complete@40"), 100, name);
      assert.equal(value(`${name}/single`, "any@5"), 100, name);
    }
  });

  it("shows no strategy a turn that is dated after the question", () => {
    const later = join(folder, "later.json");
    const turns = [
      { id: "past", at: "2026-01-01", content: "The kettle is red." },
      { id: "future", at: "2026-02-01", content: "The kettle is blue now." },
    ];
    const question = { question: "What colour is the kettle?", at: "2026-01-15" };
    const questions = [
      { ...question, evidence: ["past"], category: "past" },
      { ...question, evidence: ["future"], category: "future" },
    ];
    writeFileSync(later, JSON.stringify({ conversations: [{ id: "c", turns, questions }] }));
    const able = STRATEGIES.filter((name) => name !== "none" && name !== "hippocampus-paper");
    const json = join(folder, "later-report.json");
    const args = ["--dataset", "generic", "--path", later, "--json", json, "--budgets", "100"];
    const { status, stderr } = quality(...args, "--strategies", able.join(","));
    assert.equal(status, 0, stderr);
    const { rows } = JSON.parse(readFileSync(json, "utf8")) as Report;
    for (const { name, metric, value } of rows) {
      if (metric !== "evidence-complete@100" || !name.includes("/")) continue;
      assert.equal(value, name.endsWith("/past") ? 100 : 0, name);
    }
  });

  it("keeps --limit questions, evenly spaced", () => {
    const value = rowsOf("--strategies", "bm25-reference", "--limit", "2");
    assert.equal(value("dataset", "questions"), 2);
  });

  it("answers misuse and broken files with one sentence and exit code 2", () => {
    const broken = join(folder, "broken.json");
    writeFileSync(broken, '{"conversations": 3}');
    const empty = join(folder, "empty.json");
    writeFileSync(empty, '{"conversations": []}');
    const good = ["--dataset", "generic", "--path", path];
    const cases: [string[], RegExp][] = [
      [["--path", path], /--dataset/],
      [["--dataset", "generic"], /--path/],
      [["--dataset", "realms", "--path", path], /realms/],
      [["--dataset", "generic", "--path", join(folder, "absent")], /cannot read/],
      [["--dataset", "generic", "--path", broken], /conversations/],
      [["--dataset", "generic", "--path", empty], /no /],
      [["--dataset", "locomo", "--path", path], /set\.json/],
      [[...good, "--strategies", "bm26"], /bm26/],
      [[...good, "--strategies", "bm25-rag,bm25-rag"], /twice/],
      [[...good, "--budgets", "0"], /above 0/],
      [[...good, "--budgets", "1300,x"], /"x"/],
      [[...good, "--limit", "-1"], /-1/],
      [[...good, "surplus"], /argument/],
    ];
    for (const [args, pattern] of cases) {
      const { status, stdout, stderr } = quality(...args);
      assert.equal(status, 2, `${args.join(" ")}: ${stderr}`);
      assert.equal(stdout, "");
      assert.match(stderr, pattern);
      assert.doesNotMatch(stderr, /^\s+at /m);
    }
  });
});
