import type { Server as HttpServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as passing } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { createApp, type ServiceOptions } from "./app.js";
import { isLoopback } from "./loopback.js";
import { cutOffSlow, PATIENCE } from "./patience.js";

const GRACE_MS = 10_000;
const SWEEP_MS = 50;

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
  /**
   * Says on `/readyz` that it is stopping and goes on for `readyMs`, so that balancers notice; then takes
   * no more requests, and resolves when those that are under way are answered, or cut off after
   * `graceMs`.
   */
  close(how?: { readonly readyMs?: number; readonly graceMs?: number }): Promise<void>;
}

/** @throws TypeError without keys on any other host than this machine's own. */
export async function listen(options: ListenOptions): Promise<Service> {
  const { host = "127.0.0.1", port = 0, tls, keys } = options;
  if (keys === undefined && !isLoopback(host)) {
    throw new TypeError(`host: expected one of this machine's own without keys, got '${host}'`);
  }
  const patience = { ...PATIENCE, ...options.patience };
  const { app, drain } = createApp(options);
  const server = serve({
    fetch: app.fetch,
    hostname: host,
    port,
    ...(tls !== undefined && { createServer: createTlsServer }),
    // Node looks every 30 s unless told, whatever the time that a head may take.
    serverOptions: { ...tls, connectionsCheckingInterval: patience.head / 2 },
  });
  const http = server as HttpServer;
  cutOffSlow(http, patience);
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  const shown = family === "IPv6" ? `[${address}]` : address;
  return {
    url: `${tls === undefined ? "http" : "https"}://${shown}:${bound}`,
    close: async ({ readyMs = 0, graceMs = GRACE_MS } = {}) => {
      drain();
      if (readyMs > 0) await passing(readyMs);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      http.closeIdleConnections();
      const cutOff = setTimeout(() => http.closeAllConnections(), graceMs);
      // A connection whose answer is on its way turns idle after server.close has looked.
      const sweep = setInterval(() => http.closeIdleConnections(), SWEEP_MS);
      await closed;
      clearTimeout(cutOff);
      clearInterval(sweep);
    },
  };
}
