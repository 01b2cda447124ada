import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "../../../bench/lib/report.js";
import { chunksOf, cutText } from "../../../bench/quality/chunks.js";
import { atomSizes, clustered } from "../../../bench/quality/clustered.js";
import type { Conversation } from "../../../bench/quality/dataset.js";
import { Ingested } from "../../../bench/quality/ingested.js";
import { checkTurn } from "../../../src/turn.js";
import { dataFolder } from "./files.js";

const RUN = fileURLToPath(new URL("../../../bench/run.js", import.meta.url));
const { folder, file } = dataFolder();

function conversation(...sessions: string[][]): Conversation {
  const turns = sessions.flatMap((contents, s) =>
    contents.map((content, i) => {
      const turn = { role: "user", session: `s${s}`, at: 1000 * s + i, content } as const;
      return { id: `${s}:${i}`, turn, checked: checkTurn("turn", turn), date: "" };
    }),
  );
  return { id: "c", turns, questions: [] };
}

const TALK = [
  ["The boat needs new sails.", "The harbour is calm.", "We sail on Monday.", "The mast is up."],
  ["Bake the bread at noon.", "The flour is rye.", "Knead the dough twice.", "Salt the crust."],
  ["The ship left the port.", "Waves broke over the bow."],
];

describe("chunks", () => {
  it("are five turns of a session, the last one of a session with fewer", () => {
    const long = conversation(["a", "b", "c", "d", "e", "f"], ["g"]);
    const turns = chunksOf(long, 0, 7).map(({ parts }) => parts.map(({ turn }) => turn));
    assert.deepEqual(turns, [[0, 1, 2, 3, 4], [5], [6]]);
    assert.deepEqual(
      chunksOf(long, 0, 3).map(({ parts }) => parts.length),
      [3],
    );
  });

  it("cut a long turn on sentence ends, each piece a chunk, and lose nothing", () => {
    const text = "A sentence of some words follows. ".repeat(200);
    const talk = conversation(["before", text, "after"]);
    const chunks = chunksOf(talk, 0, 3);
    assert.ok(chunks.length > 4);
    const pieces = chunks.slice(1, -1).flatMap(({ parts }) => parts);
    assert.equal(pieces.map(({ content }) => content).join(""), text);
    for (const { content, piece } of pieces) {
      assert.match(content, /follows\. $/);
      assert.ok(piece !== undefined && piece.to - piece.from <= 512);
    }
  });

  it("cut even what has no sentences", () => {
    const count = (text: string) => Math.ceil(text.length / 2);
    const text = `${"x".repeat(95)} ${"y ".repeat(30)}`;
    const pieces = cutText(text, count, 10);
    assert.equal(pieces.join(""), text);
    for (const piece of pieces) assert.ok(count(piece) <= 10, piece);
  });
});

describe("strategies by clusters", () => {
  const talk = conversation(...TALK);
  const question = { id: "q", question: "When do we sail the boat?", at: undefined, category: "" };
  const settings = { threshold: 0.6, seed: 1 } as const;

  it("rank a chunk of the same topic first, whatever the clustering and the packer", async () => {
    for (const clustering of ["max-member", "online-k-means", "dp-means", "none"] as const) {
      for (const packer of ["atoms", "flat"] as const) {
        const strategy = clustered("x", { ...settings, clustering, packer });
        const reader = await strategy.open(talk, new Ingested(talk));
        const { ranking, packed } = await reader.answer(question, [60], 0);
        const { session } = talk.turns[ranking[0]!]!.checked;
        assert.notEqual(session, "s1", `${clustering} ${packer}: ${ranking}`);
        assert.ok(packed.get("60")!.tokens <= 60);
        assert.ok(packed.get("60")!.turns.has(ranking[0]!));
        assert.equal(new Set(ranking).size, 10);
      }
    }
  });

  it("know nothing of later turns, and go on from what they knew", async () => {
    const strategy = clustered("x", { ...settings, clustering: "max-member", packer: "atoms" });
    const reader = await strategy.open(talk, new Ingested(talk));
    for (const known of [4, 8, 10]) {
      const { ranking } = await reader.answer({ ...question, known }, [500], 0);
      assert.deepEqual(
        [...ranking].sort((a, b) => a - b),
        Array.from({ length: known }, (_, i) => i),
      );
    }
  });

  it("give k-means as many atoms as max-member makes", () => {
    const sizes = (clustering: "max-member" | "online-k-means") =>
      atomSizes(talk, { ...settings, clustering, packer: "flat" });
    assert.equal(sizes("online-k-means").length, sizes("max-member").length);
    assert.equal(
      sizes("max-member").reduce((sum, size) => sum + size, 0),
      3,
    );
  });
});

describe("the factorial bench", () => {
  it("measures every cell, the effects, and the sizes of atoms", () => {
    const trajectory = TALK.flat().map((observation, turn_idx) => ({
      turn_idx,
      action: "look",
      observation,
    }));
    const qa_pairs = [
      { question: "When does the boat leave?", answer: "We sail on Monday, at step 2." },
      { question: "What flour is it?", answer: "rye, at step 5" },
    ];
    const path = file({ domain: "Gaming", trajectory, qa_pairs });
    const json = join(folder, "factorial.json");
    const markdown = join(folder, "factorial.md");
    const { status, stderr } = spawnSync(
      process.execPath,
      [RUN, "factorial", "--dataset", "ama", "--path", path, "--budgets", "40,80"].concat([
        "--seeds",
        "2",
        "--json",
        json,
        "--markdown",
        markdown,
      ]),
      { encoding: "utf8" },
    );
    assert.equal(status, 0, stderr);
    assert.match(stderr, /cannot see order, headers or grouping/);
    assert.match(readFileSync(markdown, "utf8"), /cannot see order, headers or grouping/);
    const { rows } = JSON.parse(readFileSync(json, "utf8")) as Report;
    for (const clustering of ["max-member", "online-k-means", "dp-means"]) {
      for (const packer of ["atoms", "flat"]) {
        const own = rows.filter(({ name }) => name === `${clustering}+${packer}`);
        assert.ok(own.some(({ metric }) => metric === "answer-token-coverage@40 low"));
      }
      assert.ok(rows.some(({ name }) => name === `atoms of ${clustering}`));
    }
    const effect = rows.find(
      ({ name, metric }) =>
        name === "max-member+atoms - online-k-means+atoms" &&
        metric === "answer-token-coverage@80 p",
    );
    assert.ok(effect !== undefined && effect.value > 0 && effect.value <= 1);
    const bad = spawnSync(
      process.execPath,
      [RUN, "factorial", "--dataset", "ama", "--path", path, "--threshold", "2"],
      { encoding: "utf8" },
    );
    assert.equal(bad.status, 2);
    assert.match(bad.stderr, /from -1 to 1/);
  });
});
