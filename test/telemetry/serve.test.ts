import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
const toFile = new URL("to-file.js", import.meta.url).href;
const withoutApi = new URL("without-api.js", import.meta.url).href;
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";

interface Reported {
  readonly spans: {
    readonly name: string;
    readonly id: string;
    readonly traceId: string;
    readonly parentId?: string;
    readonly attributes: Record<string, unknown>;
  }[];
  readonly durations: { readonly count: number }[];
}

describe("dentate serve --telemetry", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "dentate-telemetry-"));
  });
  after(() => rm(folder, { recursive: true }));

  /** Serves, adds a turn in a trace, and stops; what was logged and reported. */
  async function serveOnce(name: string, imported: string[], ...flags: string[]) {
    const file = join(folder, `${name}.json`);
    const args = imported.flatMap((module) => ["--import", module]);
    const child = spawn(
      process.execPath,
      [...args, main, "serve", join(folder, name), "--port", "0", ...flags],
      { env: { ...process.env, TELEMETRY_FILE: file } },
    );
    const log: Record<string, unknown>[] = [];
    createInterface(child.stderr).on("line", (line) => {
      // Node may have warnings of its own.
      if (line.startsWith("{")) log.push(JSON.parse(line));
    });
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const url = line.replace(/^.* is served at /, "");
    const answer = await fetch(`${url}/v1/banks/ana/turns`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        traceparent: `00-${traceId}-${parentId}-01`,
      },
      body: JSON.stringify({ turns: [{ role: "user", content: "I moved to Lisbon" }] }),
    });
    assert.equal(answer.status, 200);
    await answer.text();
    child.kill("SIGTERM");
    const [code] = (await once(child, "close")) as [number];
    assert.equal(code, 0);
    const text = imported.includes(toFile) ? await readFile(file, "utf8") : undefined;
    return { log, text };
  }

  it("reports to the SDK that --import set up, as part of the caller's trace", async () => {
    const { log, text } = await serveOnce("with", [toFile], "--telemetry");
    const { spans, durations } = JSON.parse(text!) as Reported;
    assert.deepEqual(
      spans.map(({ name }) => name),
      ["create_memory", "POST /v1/banks/:bank/turns"],
    );
    const [add, request] = spans;
    assert.deepEqual([request!.traceId, request!.parentId], [traceId, parentId]);
    assert.deepEqual([add!.traceId, add!.parentId], [traceId, request!.id]);
    assert.equal(durations.length, 1);
    assert.doesNotMatch(text!, /Lisbon/);
    const { level, msg, method, route, status, ms, caller, ...traced } = log[0]!;
    assert.deepEqual([level, msg, method, route], [30, "request", "POST", "/v1/banks/:bank/turns"]);
    assert.deepEqual([status, typeof ms, caller], [200, "number", "anybody"]);
    assert.equal(traced["trace_id"], traceId);
    assert.equal(traced["span_id"], request!.id);
  });

  it("reports what was said with --telemetry-content", async () => {
    const { text } = await serveOnce("content", [toFile], "--telemetry-content");
    assert.match(text!, /I moved to Lisbon/);
  });

  it("reports nothing unless asked, and logs the trace all the same", async () => {
    const { log, text } = await serveOnce("off", [toFile]);
    assert.deepEqual(JSON.parse(text!), { spans: [], durations: [] });
    assert.equal(log[0]!["trace_id"], traceId);
    assert.ok(!("span_id" in log[0]!));
  });

  it("warns where no SDK is set up, and serves", async () => {
    const { log } = await serveOnce("none", [], "--telemetry");
    assert.match(String(log[0]!["msg"]), /no OpenTelemetry SDK is set up/);
    assert.equal(log[0]!["level"], 40);
    assert.equal(log[1]!["status"], 200);
  });

  it("says which package is missing", async () => {
    const args = ["--import", withoutApi, main, "serve", join(folder, "missing"), "--telemetry"];
    const child = spawn(process.execPath, args);
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    const [code] = (await once(child, "close")) as [number];
    assert.equal(code, 2);
    assert.match(said, /^dentate: --telemetry: .*@opentelemetry\/api.*npm install/);
    // Without the flag nothing asks for it.
    await serveOnce("unasked", [withoutApi]);
  });
});
