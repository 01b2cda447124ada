import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Memory } from "../memory.js";
import type { ServiceEnv } from "./caller.js";

/** Seconds: recalls take milliseconds, bulk loads seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** What `/metrics` tells Prometheus. */
export class ServiceMetrics {
  readonly registry = new Registry();
  readonly #requests: Counter;
  readonly #seconds: Histogram;
  readonly #running: Gauge;

  constructor(memory: Memory) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Counter({
      name: "dentate_http_requests_total",
      help: "Requests answered",
      labelNames: ["method", "route", "status"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "dentate_http_request_seconds",
      help: "From a request's head to its answer's",
      labelNames: ["method", "route"],
      buckets: BUCKETS,
      registers,
    });
    this.#running = new Gauge({
      name: "dentate_http_requests_running",
      help: "Requests being answered",
      registers,
    });
    const store = new Gauge({
      name: "dentate_store",
      help: "The store in numbers, as `dentate stats` has them",
      labelNames: ["what"],
      registers,
      async collect() {
        for (const [what, count] of Object.entries(await memory.storage())) {
          if (typeof count === "number") store.set({ what }, count);
        }
      },
    });
  }

  /** Counts what passes. Labels are routes, never paths: those hold names, and are without number. */
  readonly middleware = createMiddleware<ServiceEnv>(async (context, next) => {
    const { method } = context.req;
    const started = performance.now();
    this.#running.inc();
    try {
      await next();
    } finally {
      this.#running.dec();
      const route = routePath(context, -1);
      this.#requests.inc({ method, route, status: context.res.status });
      this.#seconds.observe({ method, route }, (performance.now() - started) / 1000);
    }
  });
}
