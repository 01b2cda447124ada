import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Memory } from "../../src/index.js";
import { KeyRing, listen, makeKey, type Service } from "../../src/server/index.js";
import { peersFolder, whyNot } from "./peer.js";

const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
// The last one that is a package by itself and runs on Node 20; the newest asks for Node 22.19.
const inspector = join(
  peersFolder,
  ...["node_modules", "@modelcontextprotocol", "inspector-cli", "build", "cli.js"],
);
const skip = whyNot ?? (existsSync(inspector) ? false : "`npm ci` in test/adapters/peers");

interface Tools {
  readonly tools: { readonly name: string; readonly inputSchema: { readonly type: string } }[];
}
interface Called {
  readonly content: { readonly text: string }[];
  readonly isError?: boolean;
}

describe("the MCP inspector", { skip }, () => {
  let folder: string;
  let memory: Memory;
  let service: Service;
  let key: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "dentate-inspector-"));
    memory = await Memory.open({ inMemory: true });
    const made = makeKey("a", ["ana"]);
    key = made.key;
    service = await listen({ memory, keys: new KeyRing([made.record]) });
  });
  after(async () => {
    await service.close();
    await memory.close();
    await rm(folder, { recursive: true });
  });

  async function inspect(...args: string[]): Promise<{ code: number; said: string }> {
    const child = spawn(process.execPath, [inspector, "--cli", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (piece: string) => {
        said += piece;
      });
    }
    const [code] = (await once(child, "close")) as [number];
    return { code, said };
  }
  const ask = async <T>(...args: string[]): Promise<T> => {
    const { code, said } = await inspect(...args);
    assert.equal(code, 0, said);
    return JSON.parse(said) as T;
  };

  const places: Readonly<Record<string, () => string[]>> = {
    "over standard input and output": () => [
      ...[process.execPath, main, "mcp", join(folder, "store"), "--bank", "ana"],
    ],
    "over streamable HTTP": () => [
      ...[`${service.url}/mcp`, "--transport", "http"],
      ...["--header", `Authorization: Bearer ${key}`],
    ],
  };
  for (const [name, place] of Object.entries(places)) {
    it(`lists and calls the tools ${name}`, async () => {
      const { tools } = await ask<Tools>(...place(), "--method", "tools/list");
      assert.equal(tools.length, 10);
      const call = (tool: string, ...args: string[]) =>
        ask<Called>(
          ...place(),
          ...["--method", "tools/call", "--tool-name", tool],
          ...args.flatMap((arg) => ["--tool-arg", arg]),
        );
      const added = await call("add_memory", "text=My dog is called Biscuit");
      assert.match(added.content[0]!.text, /"added"/);
      const packed = await call("pack_context", "query=the dog's name", "token_budget=200");
      assert.match(packed.content[0]!.text, /Biscuit/);
      const missing = await call("get_memory", "memory_id=e9");
      assert.equal(missing.isError, true);
    });
  }

  it("is told that it needs a key", async () => {
    const { code, said } = await inspect(
      ...[`${service.url}/mcp`, "--transport", "http", "--method", "tools/list"],
    );
    assert.notEqual(code, 0);
    assert.match(said, /a valid API key is needed/);
  });
});
