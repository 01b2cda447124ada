import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { DentateError, Memory } from "../../src/index.js";
import { createMcpApp } from "../../src/mcp/app.js";
import { createApp, listen, type Service } from "../../src/server/index.js";
import { instrument, requestTelemetry } from "../../src/telemetry/index.js";
import { Collected, followContexts } from "./collected.js";

const turn = { role: "user", content: "I moved to Lisbon in May" };
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${parentId}-01`;

function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

describe("a service with telemetry", () => {
  let collected: Collected;
  let memory: Memory;
  let service: Service;
  let lines: Record<string, unknown>[];

  before(followContexts);

  beforeEach(async () => {
    collected = new Collected();
    memory = instrument(await Memory.open({ inMemory: true }), collected);
    lines = [];
    const log = (fields: object) => {
      lines.push({ ...fields });
    };
    service = await listen({
      memory,
      telemetry: requestTelemetry(collected),
      logger: { info: log, warn: log, error: log },
    });
  });

  afterEach(async () => {
    await service.close();
    await memory.close();
    await collected.close();
    propagation.disable();
  });

  /** The answer is out before its span ends: the service waits for its connections, then all have. */
  async function settled(): Promise<readonly ReadableSpan[]> {
    await service.close();
    return collected.spans;
  }

  async function recall(headers: Record<string, string>) {
    const body = post({ question: "Where does Ana live?", budget: 100 }, headers);
    const answer = await fetch(`${service.url}/v1/banks/ana/recall`, body);
    assert.equal(answer.status, 200);
    await answer.text();
  }

  it("goes on with the caller's trace, down to the stages of a recall", async () => {
    await recall({ traceparent, tracestate: "vendor=opaque" });
    await settled();
    const request = collected.span("POST /v1/banks/:bank/recall");
    assert.equal(request.kind, SpanKind.SERVER);
    assert.equal(request.spanContext().traceId, traceId);
    assert.equal(request.parentSpanContext?.spanId, parentId);
    assert.equal(request.parentSpanContext?.isRemote, true);
    assert.equal(request.spanContext().traceState?.get("vendor"), "opaque");
    const search = collected.span("search_memory");
    assert.equal(search.parentSpanContext?.spanId, request.spanContext().spanId);
    assert.equal(search.spanContext().traceId, traceId);
    const rank = collected.span("dentate.recall.rank");
    assert.equal(rank.parentSpanContext?.spanId, search.spanContext().spanId);
    assert.deepEqual(request.attributes, {
      "http.request.method": "POST",
      "url.scheme": "http",
      "http.response.status_code": 200,
      "http.route": "/v1/banks/:bank/recall",
      "dentate.caller": "anybody",
    });
  });

  it("names the span in the request's log line", async () => {
    await recall({ traceparent });
    await settled();
    const { spanId } = collected.span("POST /v1/banks/:bank/recall").spanContext();
    const { trace_id, span_id, trace_flags } = lines[0]!;
    assert.deepEqual([trace_id, span_id, trace_flags], [traceId, spanId, "01"]);
  });

  it("does not record what the caller's trace does not", async () => {
    await recall({ traceparent: `00-${traceId}-${parentId}-00` });
    assert.deepEqual(await settled(), []);
    assert.equal(lines[0]!["trace_id"], traceId);
  });

  it("begins a trace of its own where the head names none that is one", async () => {
    const bad = [
      `00-${"0".repeat(32)}-${parentId}-01`,
      `00-${traceId}-${"0".repeat(16)}-01`,
      `ff-${traceId}-${parentId}-01`,
      `00-${traceId}-${parentId}-01-more`,
      `00-${traceId.toUpperCase()}-${parentId}-01`,
      "nonsense",
    ];
    for (const header of bad) await recall({ traceparent: header });
    await recall({});
    const requests = (await settled()).filter(({ kind }) => kind === SpanKind.SERVER);
    assert.equal(requests.length, bad.length + 1);
    for (const request of requests) {
      assert.equal(request.parentSpanContext, undefined);
      assert.notEqual(request.spanContext().traceId, traceId);
    }
  });

  it("takes what a later version of the header begins with", async () => {
    await recall({ traceparent: `01-${traceId}-${parentId}-01-more` });
    await settled();
    const request = collected.span("POST /v1/banks/:bank/recall");
    assert.equal(request.parentSpanContext?.spanId, parentId);
  });

  it("reads heads by the process's propagators where it has some", async () => {
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    await recall({ traceparent, tracestate: "vendor=opaque" });
    await settled();
    const request = collected.span("POST /v1/banks/:bank/recall");
    assert.equal(request.parentSpanContext?.spanId, parentId);
    assert.equal(request.spanContext().traceState?.get("vendor"), "opaque");
  });

  it("gives each of many requests at once its own", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => (i + 1).toString(16).padStart(32, "0"));
    await Promise.all(ids.map((id) => recall({ traceparent: `00-${id}-${parentId}-01` })));
    const spans = await settled();
    for (const id of ids) {
      const own = spans.filter((span) => span.spanContext().traceId === id);
      const names = own.map(({ name }) => name).filter((name) => !name.startsWith("dentate."));
      assert.deepEqual(names.sort(), ["POST /v1/banks/:bank/recall", "search_memory"]);
    }
  });

  it("follows a stream of turns to its end", async () => {
    const line = JSON.stringify(turn);
    const body = Array.from({ length: 300 }, () => line).join("\n");
    const answer = await fetch(`${service.url}/v1/banks/ana/ingest`, { method: "POST", body });
    await answer.text();
    const adds = (await settled()).filter(({ name }) => name === "create_memory");
    assert.deepEqual(
      adds.map(({ attributes }) => attributes["gen_ai.memory.record.count"]),
      [256, 44],
    );
    const request = collected.span("POST /v1/banks/:bank/ingest");
    for (const add of adds) {
      assert.equal(add.parentSpanContext?.spanId, request.spanContext().spanId);
    }
    assert.equal(collected.spans.at(-1), request);
  });

  it("logs what fails in a stream, within the request's span", async () => {
    const full = {
      banks: async () => [],
      bank: () => ({
        addMany: async () => {
          throw new DentateError("DENTATE_IO", "no space");
        },
      }),
    };
    const logged: [Record<string, unknown>, string][] = [];
    const log = (fields: object, message: string) => {
      logged.push([{ ...fields }, message]);
    };
    const { app } = createApp({
      memory: full as unknown as Memory,
      telemetry: requestTelemetry(collected),
      logger: { info: log, warn: log, error: log },
    });
    const answer = await app.request("/v1/banks/ana/ingest", {
      method: "POST",
      body: JSON.stringify(turn),
      headers: { traceparent },
    });
    assert.match(await answer.text(), /DENTATE_UNAVAILABLE/);
    const [fields] = logged.find(([, message]) => message === "a stream failed")!;
    assert.equal((fields["err"] as DentateError).code, "DENTATE_IO");
    assert.equal(fields["trace_id"], traceId);
    const { spanId } = collected.span("POST /v1/banks/:bank/ingest").spanContext();
    assert.equal(fields["span_id"], spanId);
  });

  it("tells refusals from failures", async () => {
    await fetch(`${service.url}/v1/banks/ana/turns`, post("{"));
    await fetch(`${service.url}/v1/nowhere`);
    await memory.close();
    await fetch(`${service.url}/v1/banks/ana/recall`, post({ question: "x" }));
    const requests = (await settled()).filter(({ kind }) => kind === SpanKind.SERVER);
    assert.deepEqual(
      requests.map(({ name, status, attributes }) => [
        name,
        status.code,
        attributes["http.response.status_code"],
        attributes["error.type"],
      ]),
      [
        ["POST /v1/banks/:bank/turns", SpanStatusCode.UNSET, 400, undefined],
        ["GET", SpanStatusCode.UNSET, 404, undefined],
        ["POST /v1/banks/:bank/recall", SpanStatusCode.ERROR, 503, "503"],
      ],
    );
    const points = await collected.points("http.server.request.duration");
    assert.deepEqual(
      points.map(({ attributes }) => attributes["http.response.status_code"]).sort(),
      [400, 404, 503],
    );
  });

  it("leaves probes alone", async () => {
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      await (await fetch(`${service.url}${path}`)).text();
    }
    assert.deepEqual(await settled(), []);
  });
});

describe("tools over HTTP", () => {
  before(followContexts);

  it("belong to the caller's trace", async () => {
    const collected = new Collected();
    const memory = instrument(await Memory.open({ inMemory: true }), collected);
    try {
      const { app, leave } = createMcpApp({
        telemetry: requestTelemetry(collected),
        bankOf: (name) => memory.bank(name),
        mostBodyBytes: 1 << 20,
        stateless: true,
      });
      const call = {
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "pack_context", arguments: { query: "Lisbon", token_budget: 100 } },
      };
      const answer = await app.request(
        "http://localhost/mcp",
        post(call, { traceparent, Accept: "application/json, text/event-stream" }),
      );
      assert.equal(answer.status, 200, await answer.text());
      const request = collected.span("POST /mcp");
      assert.equal(request.parentSpanContext?.spanId, parentId);
      const search = collected.span("search_memory");
      assert.equal(search.parentSpanContext?.spanId, request.spanContext().spanId);
      await leave?.();
    } finally {
      await memory.close();
      await collected.close();
    }
  });
});

describe("a service within a request that is followed already", () => {
  let collected: Collected;
  before(() => {
    collected = new Collected();
    followContexts();
  });
  after(() => collected.close());

  it("makes no second span of it, and tells it the route", async () => {
    const memory = instrument(await Memory.open({ inMemory: true }), collected);
    try {
      const { app } = createApp({ memory, telemetry: requestTelemetry(collected) });
      const outer = collected.tracerProvider
        .getTracer("http")
        .startSpan("POST", { kind: SpanKind.SERVER });
      const answer = await context.with(trace.setSpan(context.active(), outer), () =>
        app.request("/v1/banks/ana/turns", post({ turns: [turn] })),
      );
      assert.equal(answer.status, 200);
      outer.end();
      assert.deepEqual(
        collected.spans.map(({ name }) => name),
        ["create_memory", "POST"],
      );
      const [add, request] = collected.spans;
      assert.equal(add!.parentSpanContext?.spanId, request!.spanContext().spanId);
      assert.equal(request!.attributes["http.route"], "/v1/banks/:bank/turns");
    } finally {
      await memory.close();
    }
  });
});
