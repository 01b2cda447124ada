import type { Server as HttpServer, IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as passing } from "node:timers/promises";
import { serve } from "@hono/node-server";
import type { Hono } from "hono";
import { createApp, type ServiceOptions } from "./app.js";
import type { ServiceEnv } from "./caller.js";
import { isLoopback } from "./loopback.js";
import { cutOffSlow, PATIENCE, type Patience } from "./patience.js";

const GRACE_MS = 10_000;
const SWEEP_MS = 50;
/** When the service stops, for a request that somebody has connected for. */
const SILENCE_MS = 1000;

/** Where a service listens, and to whom. */
export interface ListenOptions extends ServiceOptions, ListenPlace {}

/** Where an application listens. */
export interface ListenPlace {
  /** 127.0.0.1 unless given: this machine alone. */
  readonly host?: string | undefined;
  /** 0, which is the default, takes any that is free. */
  readonly port?: number | undefined;
  /** PEM; without it, HTTP. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  /** With whoever is slow; as long as {@link PATIENCE} says unless given. */
  readonly patience?: Partial<Patience> | undefined;
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

/** What listens: an application, and how it is stopped. */
export interface ListenedApp {
  readonly app: Hono<ServiceEnv>;
  drain(): void;
  leave(): Promise<void>;
}

/** @throws TypeError without keys on any other host than this machine's own. */
export function listen(options: ListenOptions): Promise<Service> {
  return listenTo(() => createApp(options), options, options.keys !== undefined);
}

/** As {@link listen}, to an application that is made when it may listen there. */
export async function listenTo(
  make: () => ListenedApp,
  { host = "127.0.0.1", port = 0, tls, patience: given }: ListenPlace,
  hasKeys: boolean,
): Promise<Service> {
  if (!hasKeys && !isLoopback(host)) {
    throw new TypeError(`host: expected one of this machine's own without keys, got '${host}'`);
  }
  const patience = { ...PATIENCE, ...given };
  const { app, drain, leave } = make();
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
  // Node calls these neither idle nor active: pools of clients connect ahead.
  const silent = new Set<Socket>();
  http.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  http.prependListener("request", ({ socket }: IncomingMessage) => silent.delete(socket));
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
      await leave();
      http.closeIdleConnections();
      const cutOff = setTimeout(() => http.closeAllConnections(), graceMs);
      const hush = setTimeout(() => {
        for (const socket of silent) socket.destroy();
      }, SILENCE_MS);
      // A connection whose answer is on its way turns idle after server.close has looked.
      const sweep = setInterval(() => http.closeIdleConnections(), SWEEP_MS);
      await closed;
      clearTimeout(cutOff);
      clearTimeout(hush);
      clearInterval(sweep);
    },
  };
}
