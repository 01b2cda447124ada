import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { HttpClient, jsonHeaders } from "../lib/http-client.js";
import { Latency } from "../lib/latency.js";
import { progress } from "../lib/progress.js";
import type { Row } from "../lib/row.js";
import { conversationsOf, fillBanks } from "../storage/many-banks.js";
import { residentBytes } from "../storage/resident-bytes.js";
import { expectOk } from "./target.js";

const MEGABYTE = 2 ** 20;

/**
 * A service with many tenants: `count` banks of 1,000 tokens in one store, served by `dentate serve`, of which
 * every bank is asked one question over one connection, in an order that no cache can guess.
 */
export async function tenants(directory: string, count: number, seed: number): Promise<Row[]> {
  const name = `${count} tenants of 1000 tokens, HTTP`;
  const conversations = conversationsOf(count, seed);
  await fillBanks(directory, count, conversations);
  const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
  const began = performance.now();
  const child = spawn(process.execPath, [main, "serve", directory, "--port", "0", "--no-log"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  try {
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const startMs = performance.now() - began;
    const before = residentBytes(child.pid);
    const client = new HttpClient(line.replace(/^.* is served at /, ""), 1);
    const headers = jsonHeaders("none");
    const latency = new Latency();
    const asking = progress("asking banks", count);
    for (let step = 0; step < count; step++) {
      const i = (step * 7919) % count;
      const { question } = conversations[i % conversations.length]!;
      const path = `/v1/banks/user-${i}/recall`;
      const body = JSON.stringify({ question });
      await latency.time(async () => expectOk(await client.send({ path, body, headers })));
      asking.step();
    }
    asking.stop();
    client.close();
    const after = residentBytes(child.pid);
    return [
      { name, metric: "from its start to the first line", value: startMs, unit: "ms" },
      { name, metric: "resident after asking all", value: after / MEGABYTE, unit: "MB" },
      { name, metric: "of it when it was started", value: before / MEGABYTE, unit: "MB" },
      ...latency.rows(name, "recall", "ms"),
    ];
  } finally {
    child.kill("SIGTERM");
    await exited;
  }
}
