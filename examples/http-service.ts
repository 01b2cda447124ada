// `dentate serve` with a key for one tenant, asked over HTTP: any language can. With curl:
//
//   curl -s localhost:7420/v1/banks/tenant-a%2Fana/recall -H "Authorization: Bearer $KEY" \
//     -H 'Content-Type: application/json' -d '{"question":"Where does Ana live?","budget":200}'

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(
  new URL("dist/cli/main.js", import.meta.resolve("dentate/package.json")),
);
const directory = await mkdtemp(join(tmpdir(), "dentate-example-"));
const keys = join(directory, "keys.json");

// Printed once; the file holds its SHA-256.
const key = execFileSync(
  process.execPath,
  [program, "keys", "add", keys, "agent-a", "--banks", "tenant-a/*"],
  { encoding: "utf8" },
).trim();
const service = spawn(
  process.execPath,
  [program, "serve", join(directory, "store"), "--keys", keys, "--port", "0", "--no-log"],
  { stdio: ["ignore", "pipe", "inherit"] },
);
const stopped = once(service, "exit");
try {
  const [line] = (await once(createInterface(service.stdout), "line")) as [string];
  const url = line.slice(line.lastIndexOf(" ") + 1);

  const post = (bank: string, what: string, body: object) =>
    fetch(`${url}/v1/banks/${encodeURIComponent(bank)}/${what}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  const turns = [{ role: "user", speaker: "Ana", content: "I moved to Lisbon in May." }];
  const added = await post("tenant-a/ana", "turns", { turns, dedupe: true });
  assert.equal(added.status, 200); // on disk

  const answer = await post("tenant-a/ana", "recall", {
    question: "Where does Ana live?",
    budget: 200,
  });
  const { text, tokens } = (await answer.json()) as { text: string; tokens: number };
  assert.match(text, /Lisbon/);

  const other = await post("tenant-b/ben", "recall", { question: "Where does Ana live?" });
  assert.equal(other.status, 403); // not this key's
  console.log(
    `recalled over HTTP in ${tokens} tokens; another tenant's bank answers ${other.status}`,
  );
} finally {
  service.kill("SIGTERM");
  const [code] = (await stopped) as [number];
  await rm(directory, { recursive: true });
  assert.equal(code, 0);
}
