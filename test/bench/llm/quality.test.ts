import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "../../../bench/lib/report.js";
import { dataFolder } from "../quality/files.js";
import { stubServer } from "./stub-server.js";

const RUN = fileURLToPath(new URL("../../../bench/run.js", import.meta.url));
const { folder, file } = dataFolder();

/** Not spawnSync: the stub answers in this process. */
async function quality(args: readonly string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [RUN, "quality", ...args], {
    env: { ...process.env, OPENAI_BASE_URL: "", ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  return { status, stderr };
}

const turns = [
  { id: "t1", content: "The kite was red." },
  { id: "t2", content: "It rained on Monday." },
];
const questions = [
  { question: "What colour was the kite?", evidence: ["t1"], answer: "red" },
  { question: "When did it rain?", evidence: ["t2"], answer: "Monday" },
];
const path = file({ conversations: [{ id: "c", turns, questions }] });
const ARGS = ["--dataset", "generic", "--path", path, "--strategies", "hybrid", "--budgets", "60"];

describe("quality with a language model", () => {
  it("has it read and judge what each strategy packed", async () => {
    const stub = await stubServer(({ body }) => {
      const asked = body.messages[1]?.content ?? "";
      if (asked.includes("Gold answer")) return { content: "5" };
      return { content: asked.includes("The kite was red.") ? "red" : "unknown" };
    });
    try {
      const json = join(folder, "llm.json");
      const { status, stderr } = await quality([...ARGS, "--llm", "m", "--json", json], {
        OPENAI_BASE_URL: stub.baseUrl,
      });
      assert.equal(status, 0, stderr);
      const { rows } = JSON.parse(readFileSync(json, "utf8")) as Report;
      const value = (metric: string) =>
        rows.find((row) => row.name === "hybrid" && row.metric === metric)?.value;
      assert.equal(value("llm-judge@60"), 5);
      assert.equal(value("llm-f1@60"), 50);
      assert.equal(stub.requests.length, 4);
    } finally {
      stub.close();
    }
  });

  it("fails where the endpoint does, and says so", async () => {
    const stub = await stubServer(() => ({ status: 403, content: "no such key" }));
    try {
      const { status, stderr } = await quality([...ARGS, "--llm", "m"], {
        OPENAI_BASE_URL: stub.baseUrl,
      });
      assert.equal(status, 1);
      assert.match(stderr, /status 403: no such key/);
    } finally {
      stub.close();
    }
  });

  it("needs an endpoint", async () => {
    const { status, stderr } = await quality([...ARGS, "--llm", "m"], {});
    assert.equal(status, 2);
    assert.match(stderr, /OPENAI_BASE_URL/);
  });
});
