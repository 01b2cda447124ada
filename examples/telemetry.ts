// What a memory does, as spans of OpenTelemetry. A program of yours would set its SDK up beforehand and name no
// provider here; this one keeps the spans and prints them as the tree that they are.

import assert from "node:assert/strict";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { Memory } from "dentate";
import { instrument } from "dentate/telemetry";

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(exporter)],
});

const memory = instrument(await Memory.open({ inMemory: true }), { tracerProvider });
try {
  const ana = memory.bank("ana");
  await ana.addMany([
    { role: "user", speaker: "Ana", content: "I moved to Lisbon in May" },
    { role: "user", speaker: "Ana", content: "My sister lives in Porto" },
  ]);
  await ana.recall("Where does Ana live?", { budget: 200 });
  await ana.delete("e2");
  // A call that fails is reported, too, and throws what it always did.
  await assert.rejects(ana.recall("Where?", { budget: -1 }), RangeError);
} finally {
  await memory.close();
}

const spans = exporter.getFinishedSpans();
const childrenOf = (parent: ReadableSpan | undefined) =>
  spans.filter((span) => span.parentSpanContext?.spanId === parent?.spanContext().spanId);
const print = (span: ReadableSpan, indent: string) => {
  const { name, attributes } = span;
  const count = attributes["gen_ai.memory.record.count"];
  const error = attributes["error.type"];
  const more = [
    ...(count === undefined ? [] : [`${count} records`]),
    ...(error === undefined ? [] : [`failed: ${error}`]),
  ];
  process.stdout.write(`${indent}${[name, ...more].join(", ")}\n`);
  for (const child of childrenOf(span)) print(child, `${indent}  `);
};
for (const span of childrenOf(undefined)) print(span, "");

assert.deepEqual(
  childrenOf(undefined).map(({ name }) => name),
  ["create_memory", "search_memory", "delete_memory", "search_memory"],
);
const recall = childrenOf(undefined)[1]!;
assert.deepEqual(
  childrenOf(recall).map(({ name }) => name),
  ["dentate.recall.encode", "dentate.recall.rank", "dentate.recall.pack"],
);
// No text unless `content` asks for it.
assert.doesNotMatch(JSON.stringify(spans.map(({ attributes }) => attributes)), /Lisbon|Where/);
