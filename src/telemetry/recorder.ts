import {
  type Attributes,
  type Context,
  type Counter,
  context,
  diag,
  type Histogram,
  type MeterProvider,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import { packageVersion } from "../package.js";
import type { Recall } from "../types.js";
import {
  ACCELERATED,
  ACCELERATED_SECONDS,
  ERROR_TYPE,
  MAINTENANCE_DURATION,
  METHOD,
  OPERATION_DURATION,
  OPERATION_NAME,
  QUERY_TEXT,
  RECALL_TOKENS,
  RECORDS,
  RECORDS_TOTAL,
  SCOPE,
  SECONDS,
  STAGE,
  STAGE_DURATION,
  STORE_ID,
  STRATEGY,
  TOKEN_COUNTS,
} from "./conventions.js";
import { errorType } from "./error-type.js";
import type { Operation } from "./operations.js";

/** Where telemetry goes, and what of it. */
export interface TelemetryOptions {
  /** The global one unless given. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** The global one unless given. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Whether spans hold what was asked, stored and recalled, and messages of errors, which may quote it.
   * False unless given: then no text gets there.
   */
  readonly content?: boolean | undefined;
  /**
   * What spans call a bank; its name unless given. Undefined leaves it out, as names of banks that are
   * personal may ask for. Metrics never have it.
   */
  readonly storeId?: ((bank: string) => string | undefined) | undefined;
}

/** A call that is to be reported. */
export interface Call<Args extends readonly unknown[], Result> {
  readonly method: string;
  readonly operation: Operation<Args, Result>;
  /** Undefined where the call is about the store as a whole. */
  readonly bank: string | undefined;
  readonly args: Args;
}

const STAGES = ["keywords", "encode", "rank", "pack"] as const;

/** Makes the spans and counts of calls. What the calls do, throw and give back stays as it is. */
export class Recorder {
  readonly #tracer: Tracer;
  readonly #hasContent: boolean;
  readonly #storeId: (bank: string) => string | undefined;
  readonly #operations: Histogram;
  readonly #maintenance: Histogram;
  readonly #stages: Histogram;
  readonly #records: Counter;
  readonly #tokens: Histogram;

  constructor({ tracerProvider, meterProvider, content, storeId }: TelemetryOptions) {
    const version = packageVersion();
    this.#tracer = (tracerProvider ?? trace).getTracer(SCOPE, version);
    this.#hasContent = content === true;
    this.#storeId = storeId ?? ((bank) => bank);
    const meter = (meterProvider ?? metrics).getMeter(SCOPE, version);
    const inSeconds = { unit: "s", advice: { explicitBucketBoundaries: SECONDS } };
    this.#operations = meter.createHistogram(OPERATION_DURATION, {
      description: "Calls that add, change, find or delete memories",
      ...inSeconds,
    });
    this.#maintenance = meter.createHistogram(MAINTENANCE_DURATION, {
      description: "Calls that look after the store as a whole",
      ...inSeconds,
    });
    this.#stages = meter.createHistogram(STAGE_DURATION, {
      description: "The stages of recalls",
      ...inSeconds,
    });
    this.#records = meter.createCounter(RECORDS_TOTAL, {
      description: "Memories added, changed, found or deleted",
      unit: "{record}",
    });
    this.#tokens = meter.createHistogram(RECALL_TOKENS, {
      description: "Tokens of recalled texts",
      unit: "{token}",
      advice: { explicitBucketBoundaries: TOKEN_COUNTS },
    });
  }

  /** Does the call, in a span that is active meanwhile. */
  async run<Args extends readonly unknown[], Result>(
    call: Call<Args, Result>,
    make: () => Promise<Result>,
  ): Promise<Result> {
    const { method, operation } = call;
    const labels: Attributes = {
      ...(operation.name !== undefined && { [OPERATION_NAME]: operation.name }),
      [METHOD]: method,
    };
    const began = now();
    const span = this.#tracer.startSpan(operation.name ?? `${SCOPE}.${method}`, {
      kind: SpanKind.INTERNAL,
      startTime: began,
      attributes: { ...labels, ...this.#before(call) },
    });
    const within = trace.setSpan(context.active(), span);
    /** Within the span, so that exemplars name it. */
    const end = (report: (ended: number) => Attributes | undefined) => {
      const ended = now();
      context.with(within, () => {
        const outcome = unharmed(() => report(ended));
        const duration = operation.name === undefined ? this.#maintenance : this.#operations;
        duration.record((ended - began) / 1000, { ...labels, ...outcome });
      });
      span.end(ended);
    };
    let result: Result;
    try {
      result = await context.with(within, make);
    } catch (error) {
      end(() => this.#fail(span, error));
      throw error;
    }
    end((ended) => {
      if (operation.count !== undefined) this.#records.add(operation.count(result), labels);
      if (operation.recall !== undefined) {
        this.#reportRecall(operation.recall(result), ended, span, within);
      }
      if (span.isRecording()) this.#describe(span, call, result);
      return undefined;
    });
    return result;
  }

  #before<Args extends readonly unknown[], Result>({ operation, bank, args }: Call<Args, Result>) {
    return unharmed(() => {
      const store = bank === undefined ? undefined : this.#storeId(bank);
      return { ...(store !== undefined && { [STORE_ID]: store }), ...operation.before?.(...args) };
    });
  }

  #describe<Args extends readonly unknown[], Result>(
    span: Span,
    { operation, args }: Call<Args, Result>,
    result: Result,
  ): void {
    if (operation.after !== undefined) span.setAttributes(operation.after(result, ...args));
    if (!this.#hasContent) return;
    if (operation.query !== undefined) span.setAttribute(QUERY_TEXT, operation.query(...args));
    if (operation.records !== undefined) {
      span.setAttribute(RECORDS, JSON.stringify(operation.records(result, ...args)));
    }
  }

  /** @returns What metrics have of it. */
  #fail(span: Span, error: unknown): Attributes {
    const outcome = { [ERROR_TYPE]: errorType(error) };
    span.setAttributes(outcome);
    if (this.#hasContent && error instanceof Error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
    } else {
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    return outcome;
  }

  /** The stages follow one another, and the last of them ends when the recall does. */
  #reportRecall(
    { timings, strategy, tokens }: Recall,
    ended: number,
    span: Span,
    within: Context,
  ): void {
    const labels = { [STRATEGY]: strategy };
    this.#tokens.record(tokens, labels);
    const isTraced = span.isRecording();
    let from = ended - timings.total;
    for (const stage of STAGES) {
      const ms = timings[stage];
      // The caller's own step, which most recalls do not have.
      if (stage === "keywords" && ms === 0) continue;
      this.#stages.record(ms / 1000, { ...labels, [STAGE]: stage });
      if (isTraced) {
        const attributes = stage === "rank" ? accelerated(timings) : {};
        const name = `${SCOPE}.recall.${stage}`;
        this.#tracer.startSpan(name, { startTime: from, attributes }, within).end(from + ms);
      }
      from += ms;
    }
  }
}

/** A mistake in what is reported, or in the caller's `storeId`, does not become one of the call. */
function unharmed<T>(report: () => T): T | undefined {
  try {
    return report();
  } catch (error) {
    diag.error("dentate: telemetry failed", error);
    return undefined;
  }
}

function accelerated({ accelerators }: Recall["timings"]): Attributes {
  if (accelerators.length === 0) return {};
  return {
    [ACCELERATED]: accelerators.map(({ operation, accelerator }) => `${operation}:${accelerator}`),
    [ACCELERATED_SECONDS]: accelerators.map(({ ms }) => ms / 1000),
  };
}

/** Milliseconds since 1970, with fractions, by a clock that never goes back. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
