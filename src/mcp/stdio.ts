import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { McpScope } from "./scope.js";
import { createMcpServer } from "./server.js";

/** Serves one client over standard input and output, until it hangs up or SIGTERM. */
export async function serveStdio(scope: McpScope): Promise<void> {
  const server = createMcpServer(scope);
  const ended = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, resolve);
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
