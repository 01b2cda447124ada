import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const source = new URL("../../src/", import.meta.url);
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "dentate-loaded-"));
});
after(() => rm(folder, { recursive: true }));

/** Flags and variables of a process that writes the URL of each module that it imports into a file. */
function recording(file: string) {
  const hook = `
    import { appendFileSync } from "node:fs";
    export function load(url, context, next) {
      appendFileSync(process.env.LOADED_MODULES, url + "\\n");
      return next(url, context);
    }`;
  const script = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(script(hook))});`;
  const env: NodeJS.ProcessEnv = { ...process.env, LOADED_MODULES: file };
  return { flags: ["--import", script(register)], env };
}

/** Packages by name, files of this one by their place in it. */
async function recorded(file: string): Promise<string[]> {
  const urls = (await readFile(file, "utf8")).trim().split("\n");
  const names = urls.map((url) => {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
    return name ?? (url.startsWith(source.href) ? url.slice(source.href.length) : url);
  });
  return [...new Set(names)].filter((name) => !/^(?:node|data):/.test(name));
}

describe("what is loaded", () => {
  it("is of a plain `dentate serve` what every request may need, and no more", async () => {
    const file = join(folder, "serve.txt");
    const { flags, env } = recording(file);
    const main = fileURLToPath(new URL("cli/main.js", source));
    const args = ["serve", join(folder, "store"), "--port", "0", "--no-log"];
    const child = spawn(process.execPath, [...flags, main, ...args], { env });
    await once(createInterface(child.stdout), "line");
    child.kill("SIGTERM");
    await once(child, "close");
    const loaded = await recorded(file);
    assert.ok(loaded.includes("server/app.js"));
    const packages = loaded.filter((name) => !name.endsWith(".js"));
    const needed = [
      ...["@asteasolutions/zod-to-openapi", "@hono/node-server", "@hono/zod-openapi"],
      ...[
        "@hono/zod-validator",
        "hono",
        "zod",
        "commander",
        "picocolors",
        "prom-client",
        "stemmer",
      ],
    ];
    assert.deepEqual(packages.sort(), needed.sort());
    const idle =
      /^(?:accelerators\/(?:cuda|gpujs|tfjs)\/(?!manifest)|embed\/(?:cache|onnx|openai|tfjs|threads)\/|ingest\/(?!ingest-error)|mcp\/|telemetry\/)/;
    assert.deepEqual(
      loaded.filter((name) => idle.test(name)),
      [],
    );
  });

  it('is of `import "dentate"` its own engine and one package', async () => {
    const file = join(folder, "library.txt");
    const { flags, env } = recording(file);
    const index = new URL("index.js", source).href;
    const args = [...flags, "--input-type=module", "--eval", `await import("${index}")`];
    await promisify(execFile)(process.execPath, args, { env });
    const loaded = await recorded(file);
    assert.ok(loaded.includes("memory.js"));
    assert.deepEqual(
      loaded.filter((name) => !name.endsWith(".js")),
      ["stemmer"],
    );
    const others =
      /^(?:accelerators\/(?:cuda|gpujs|tfjs)\/(?!manifest)|adapters\/|cli\/|embed\/(?:cache|onnx|openai|tfjs|threads)\/|ingest\/|mcp\/|server\/|shared\/|telemetry\/|ui\/)/;
    assert.deepEqual(
      loaded.filter((name) => others.test(name)),
      [],
    );
  });
});
