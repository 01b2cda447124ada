// `dentate mcp` as a client of the Model Context Protocol uses it. In a client's configuration:
//
//   { "mcpServers": { "memory": { "command": "npx", "args": ["dentate", "mcp", "DIR", "--bank", "ana"] } } }

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const program = fileURLToPath(
  new URL("dist/cli/main.js", import.meta.resolve("dentate/package.json")),
);
const directory = await mkdtemp(join(tmpdir(), "dentate-example-"));
const client = new Client({ name: "example", version: "1.0.0" });
try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", join(directory, "store"), "--bank", "ana"],
    }),
  );
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return (content as { text: string }[])[0]?.text ?? "";
  };
  await call("add_memory", { text: "The spare key is under the blue pot." });
  const packed = await call("pack_context", {
    query: "Where is the spare key?",
    token_budget: 100,
  });
  assert.match(packed, /under the blue pot/);
  const { tools } = await client.listTools();
  console.log(`${tools.length} tools; pack_context finds the spare key under the blue pot`);
} finally {
  await client.close();
  await rm(directory, { recursive: true });
}
