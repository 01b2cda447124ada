import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));

/** The SDK's own client, and what tests ask of it. */
export interface Connected {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** The text that a tool answers. */
  text(name: string, args?: Record<string, unknown>): Promise<string>;
  json<T>(name: string, args?: Record<string, unknown>): Promise<T>;
}

export interface Found {
  readonly results: { readonly id: string; readonly memory: string; readonly name?: string }[];
}

export async function connect(transport: Transport): Promise<Connected> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  const text = async (name: string, args?: Record<string, unknown>) =>
    ((await call(name, args)).content as { text: string }[])[0]!.text;
  const json = async <T>(name: string, args?: Record<string, unknown>) =>
    JSON.parse(await text(name, args)) as T;
  return { client, call, text, json };
}

/** A client over HTTP. */
export function connectHttp(url: string, key?: string): Promise<Connected> {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return connect(transport as Transport);
}

/** `dentate mcp` as a host starts it; sockets of tests stay among themselves, in `runtime`. */
export async function startStdio(runtime: string, store: string, ...args: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, "mcp", store, ...args],
    env: { ...(process.env as Record<string, string>), XDG_RUNTIME_DIR: runtime },
  });
  const connected = await connect(transport);
  return { ...connected, pid: transport.pid! };
}

/** A command of `dentate` that listens. */
export interface Listening {
  readonly url: string;
  readonly child: ChildProcess;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** `dentate mcp --http` or `serve`, and where it listens. */
export async function startHttp(runtime: string, ...args: string[]): Promise<Listening> {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, XDG_RUNTIME_DIR: runtime },
  });
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  for await (const line of createInterface({ input: child.stdout! })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return { url, child, ended };
  }
  throw new Error(`${args.join(" ")}: ended with ${await ended}`);
}
