import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { packageVersion } from "../package.js";
import type {
  FollowedRequest,
  RequestHead,
  RequestOutcome,
  RequestTelemetry,
} from "../server/request-telemetry.js";
import {
  CALLER,
  ERROR_TYPE,
  HTTP_SECONDS,
  REQUEST_DURATION,
  REQUEST_METHOD,
  ROUTE,
  SCHEME,
  SCOPE,
  STATUS_CODE,
} from "./conventions.js";
import type { TelemetryOptions } from "./recorder.js";

/** Those that the conventions know by name. */
const METHODS = new Set("CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE".split(" "));
/** W3C Trace Context: version 00, or what a later one begins with. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Follows the requests of a service (`listen({ memory, telemetry: requestTelemetry() })`): each has a span, the
 * child of the one that its `traceparent` names, and what the memory does for it is within. Where an
 * instrumentation of `node:http` made such a span already, that one is used, and gets its route.
 */
export function requestTelemetry({
  tracerProvider,
  meterProvider,
}: Pick<TelemetryOptions, "tracerProvider" | "meterProvider"> = {}): RequestTelemetry {
  const version = packageVersion();
  const tracer = (tracerProvider ?? trace).getTracer(SCOPE, version);
  const durations = (meterProvider ?? metrics)
    .getMeter(SCOPE, version)
    .createHistogram(REQUEST_DURATION, {
      description: "Requests, from their heads to the ends of their answers",
      unit: "s",
      advice: { explicitBucketBoundaries: HTTP_SECONDS },
    });
  return {
    begin(head) {
      const outer = trace.getActiveSpan();
      if (outer !== undefined) return followedBy(outer);
      const parent = parentOf(head);
      const method = METHODS.has(head.method) ? head.method : "_OTHER";
      const labels: Attributes = { [REQUEST_METHOD]: method, [SCHEME]: head.scheme };
      const name = method === "_OTHER" ? "HTTP" : method;
      const began = performance.now();
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes: labels }, parent);
      const within = trace.setSpan(parent, span);
      return {
        run: (work) => context.with(within, work),
        answered(outcome) {
          labels[STATUS_CODE] = outcome.status;
          if (outcome.route !== undefined) span.updateName(`${name} ${outcome.route}`);
          if (outcome.status >= 500) {
            labels[ERROR_TYPE] = String(outcome.status);
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          Object.assign(labels, describe(span, outcome));
          span.setAttributes(labels);
        },
        end() {
          const seconds = (performance.now() - began) / 1000;
          context.with(within, () => durations.record(seconds, labels));
          span.end();
        },
      };
    },
    logFields() {
      const current = trace.getActiveSpan()?.spanContext();
      if (current === undefined || !trace.isSpanContextValid(current)) return {};
      const flags = current.traceFlags.toString(16).padStart(2, "0");
      return { trace_id: current.traceId, span_id: current.spanId, trace_flags: flags };
    },
  };
}

/** A request that has a span already, which somebody else ends: what they cannot know is told them. */
function followedBy(span: Span): FollowedRequest {
  return {
    run: (work) => work(),
    answered: (outcome) => {
      describe(span, outcome);
    },
    end: () => undefined,
  };
}

/** @returns What metrics may have of it. */
function describe(span: Span, { route, caller }: RequestOutcome): Attributes {
  if (caller !== undefined) span.setAttribute(CALLER, caller);
  if (route === undefined) return {};
  span.setAttribute(ROUTE, route);
  return { [ROUTE]: route };
}

/**
 * What the request says it is a part of: by the propagators that the process has, or else by W3C Trace
 * Context.
 */
function parentOf(head: RequestHead): Context {
  const active = context.active();
  if (propagation.fields().length > 0) {
    return propagation.extract(active, head, {
      get: ({ header }, name) => header(name),
      // Nobody asks: headers are looked up by name.
      keys: () => [],
    });
  }
  const [, version, traceId, spanId, flags, more] =
    TRACEPARENT.exec(head.header("traceparent")?.trim() ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return active;
  if (version === "00" && more !== undefined) return active;
  const sampled = Number.parseInt(flags!, 16) & TraceFlags.SAMPLED;
  const state = head.header("tracestate");
  const named = {
    ...{ traceId, spanId, isRemote: true, traceFlags: sampled },
    ...(state !== undefined && { traceState: createTraceState(state) }),
  };
  return trace.isSpanContextValid(named) ? trace.setSpanContext(active, named) : active;
}
