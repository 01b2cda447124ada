import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createApp, type ServiceOptions } from "./app.js";

/** Where a service listens. */
export interface ListenOptions extends ServiceOptions {
  /** 127.0.0.1 unless given: this machine alone. */
  readonly host?: string | undefined;
  /** 0, which is the default, takes any that is free. */
  readonly port?: number | undefined;
  /** PEM; without it, HTTP. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
}

/** A service that listens. */
export interface Service {
  readonly url: string;
  /** Takes no more requests, and resolves when those that are under way are answered. */
  close(): Promise<void>;
}

/** @throws TypeError without keys on any other host than this machine's own. */
export async function listen(options: ListenOptions): Promise<Service> {
  const { host = "127.0.0.1", port = 0, tls, keys } = options;
  if (keys === undefined && !isLoopback(host)) {
    throw new TypeError(`host: expected one of this machine's own without keys, got '${host}'`);
  }
  const app = createApp(options);
  const server = serve({
    fetch: app.fetch,
    hostname: host,
    port,
    ...(tls !== undefined && { createServer: createTlsServer, serverOptions: { ...tls } }),
  });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  const shown = family === "IPv6" ? `[${address}]` : address;
  return {
    url: `${tls === undefined ? "http" : "https"}://${shown}:${bound}`,
    close: () =>
      new Promise<void>((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        if ("closeIdleConnections" in server) server.closeIdleConnections();
      }),
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
