import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, ROOT_CONTEXT } from "@opentelemetry/api";
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

/** The context manager of Node's SDK, as far as these tests need one. */
class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    fn: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(active, () => fn.apply(thisArg as ThisParameterType<F>, args));
  }

  bind<T>(_active: Context, target: T): T {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}

/** Contexts follow promises from now on, as they do wherever an SDK is set up. */
export function followContexts(): void {
  context.setGlobalContextManager(new AsyncContexts());
}

/** One value of a metric: a histogram's sum and count, or a counter's sum. */
export interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly sum: number;
}

/** The real SDK, with exporters that keep what they are given. */
export class Collected {
  readonly #spans = new InMemorySpanExporter();
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.#spans)],
  });
  readonly meterProvider = new MeterProvider({
    // Exported when a test asks, not by the clock.
    readers: [
      new PeriodicExportingMetricReader({
        exporter: this.#metrics,
        exportIntervalMillis: 2 ** 30,
        exportTimeoutMillis: 2 ** 30,
      }),
    ],
  });

  /** Those that ended, in the order of ending. */
  get spans(): readonly ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  /** The only span of this name. */
  span(name: string): ReadableSpan {
    const named = this.spans.filter((span) => span.name === name);
    if (named.length !== 1) {
      const names = this.spans.map((span) => span.name).join(", ");
      throw new Error(`${named.length} spans are named ${name}: there are ${names}`);
    }
    return named[0]!;
  }

  clear(): void {
    this.#spans.reset();
  }

  /** All points of a metric so far. */
  async points(metric: string): Promise<Point[]> {
    const named = (await this.#exported()).filter(({ descriptor }) => descriptor.name === metric);
    return named.flatMap(({ dataPoints }) =>
      (dataPoints as DataPoint<number | Histogram>[]).map(({ attributes, value }) =>
        typeof value === "number"
          ? { attributes, count: 1, sum: value }
          : { attributes, count: value.count, sum: value.sum ?? 0 },
      ),
    );
  }

  /** Everything that any exporter was given, as text. */
  async everything(): Promise<string> {
    const spans = this.spans.map(({ name, kind, attributes, events, status, links }) => ({
      ...{ name, kind, attributes, events, status, links },
    }));
    return JSON.stringify([spans, await this.#exported()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.tracerProvider.shutdown(), this.meterProvider.shutdown()]);
  }

  async #exported() {
    this.#metrics.reset();
    await this.meterProvider.forceFlush();
    return this.#metrics
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics);
  }
}
