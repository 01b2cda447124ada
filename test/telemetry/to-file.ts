// What `node --import` of a user's own does: sets the SDK up, and sees to it that what was collected gets
// out in the end. Here it goes to the file that TELEMETRY_FILE names.

import { writeFileSync } from "node:fs";
import { metrics, trace } from "@opentelemetry/api";
import { Collected, followContexts } from "./collected.js";

const collected = new Collected();
followContexts();
trace.setGlobalTracerProvider(collected.tracerProvider);
metrics.setGlobalMeterProvider(collected.meterProvider);

process.once("beforeExit", async () => {
  const durations = await collected.points("gen_ai.client.operation.duration");
  const spans = collected.spans.map((span) => ({
    name: span.name,
    id: span.spanContext().spanId,
    traceId: span.spanContext().traceId,
    parentId: span.parentSpanContext?.spanId,
    attributes: span.attributes,
  }));
  writeFileSync(process.env["TELEMETRY_FILE"]!, JSON.stringify({ spans, durations }));
  await collected.close();
});
