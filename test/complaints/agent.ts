import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Memory } from "../../src/index.js";
import { SharedMemory } from "../../src/shared/index.js";

/**
 * A process beside that of a test: it says what it did on standard output.
 *
 *   node agent.js leak DIRECTORY         holds the store, starts a child that outlives it, and waits to be killed
 *   node agent.js host DIRECTORY         starts `dentate mcp` as MCP's hosts do, and waits to be killed
 *   node agent.js add DIRECTORY NAME N   adds N turns that others add too, deduplicated, and N of its own
 */
const [, , mode, directory, name, count] = process.argv;
const say = (text: string | number) => process.stdout.write(`${text}\n`);

if (mode === "leak") {
  const memory = await Memory.open(directory!);
  await memory.add({ role: "user", content: "kept" });
  // It has all descriptors that a child can have of its parent's.
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
    stdio: "ignore",
    detached: true,
  });
  say(child.pid!);
  setInterval(() => memory, 1000);
} else if (mode === "host") {
  const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
  const child = spawn(process.execPath, [main, "mcp", directory!], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-03-26",
      capabilities: {},
      clientInfo: { name: "host", version: "1" },
    },
  };
  child.stdout.once("data", () => say(child.pid!));
  child.stdin.write(`${JSON.stringify(request)}\n`);
} else {
  const memory = await SharedMemory.open(directory!);
  const bank = memory.bank("shared");
  for (let i = 0; i < Number(count); i++) {
    await bank.add({ role: "user", content: `Fact ${i}` }, { dedupe: true });
    await bank.add({ role: "user", content: `${name} says ${i}` });
  }
  const { entries } = await bank.stats();
  say(entries);
  await memory.close();
}
