// Any bytes as an import: every line is taken, or refused by a TypeError or RangeError that names it.
//
//   node build/js/test/fuzz/import-fuzz.js [--seconds N | --runs N] [--seed N]
//
// Lines of a real export are mutated: bits, bytes, numbers, names, pieces cut out, doubled or joined
// with another line's; then cut into chunks anywhere and read as an import reads them. What is taken is
// written out again and has to be taken again, the same.

import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { type Line, parseLine } from "../../src/transfer/line.js";
import { readLines } from "../../src/transfer/lines.js";

const { values } = parseArgs({
  options: { seconds: { type: "string" }, runs: { type: "string" }, seed: { type: "string" } },
});
const runs = Number(values.runs ?? Number.POSITIVE_INFINITY);
const until = performance.now() + 1000 * Number(values.seconds ?? (values.runs ? 1e9 : 60));
let state = Number(values.seed ?? Date.now() % 1e9) >>> 0;
process.stdout.write(`import fuzz, seed ${state}\n`);

const SEEDS = [
  '{"format":"dentate","version":1,"exportedAt":"2026-03-01T12:00:00.000Z"}',
  '{"bank":"user-42","numbers":3}',
  '{"bank":"b","id":"e1","role":"user","speaker":"Ana","session":"s","at":"2026-03-01T12:00:00.000Z","ingestedAt":"2026-03-01T12:00:00.000Z","content":"I moved to Lisbon","metadata":{"a":[1,{"b":null}]}}',
  '{"bank":"b","id":"e2","number":7,"version":2,"role":"tool","toolName":"t","toolCallId":"c","content":"\\ud800 \u2028 日本","replacedCharacters":1,"expiresAt":"2999-01-01T00:00:00.000Z","other":{"kept":true}}',
  '{"content":"by hand","role":"assistant","__proto__":{"x":1},"constructor":7}',
].map((text) => Buffer.from(text));
const TOKENS = [
  "null",
  "-1",
  "1e999",
  '"\\u0000"',
  "[]",
  "{}",
  '"e99999999999"',
  "\n",
  "\u2028",
  '"id"',
  '"number"',
  "4294967295",
  "true",
  '"toJSON"',
].map((text) => Buffer.from(text));

/** xorshift32. */
function random(below: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  state >>>= 0;
  return state % below;
}

function pick<T>(items: readonly T[]): T {
  return items[random(items.length)]!;
}

function mutate(line: Buffer): Buffer {
  const at = random(line.length + 1);
  const to = Math.min(line.length, at + random(12));
  switch (random(6)) {
    case 0: {
      const copy = Buffer.from(line);
      if (copy.length > 0) copy[at % copy.length]! ^= 1 << random(8);
      return copy;
    }
    case 1:
      return Buffer.concat([line.subarray(0, at), line.subarray(to)]);
    case 2:
      return Buffer.concat([line.subarray(0, at), pick(TOKENS), line.subarray(to)]);
    case 3:
      return Buffer.concat([line.subarray(0, to), line.subarray(at)]);
    case 4:
      return Buffer.concat([line.subarray(0, at), pick(SEEDS).subarray(random(40))]);
    default: {
      // A value for another one, so that what follows the parsing of JSON is reached.
      const colons = [...line.toString("latin1").matchAll(/:/g)].map(({ index }) => index + 1);
      const start = colons.length === 0 ? at : pick(colons);
      const end = line.indexOf(",", start);
      return Buffer.concat([
        line.subarray(0, start),
        pick(TOKENS),
        line.subarray(end < 0 ? to : end),
      ]);
    }
  }
}

function chunksOf(bytes: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(bytes.length);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** The line, or undefined where it is refused as it should be. */
function taken(text: string): Line | undefined {
  try {
    return parseLine("line 1", text);
  } catch (error) {
    assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
    assert.match(error.message, /^line 1/);
    return undefined;
  }
}

let done = 0;
let lines = 0;
let accepted = 0;
while (done < runs && performance.now() < until) {
  for (let i = 0; i < 1000; i++, done++) {
    let bytes: Buffer = pick(SEEDS);
    for (let times = random(5); times >= 0; times--) bytes = mutate(bytes);
    // Most runs go to the parser; some to the cutting into lines, which is asynchronous and slower.
    if (i % 20 > 0) {
      lines++;
      if (taken(bytes.toString("utf8")) !== undefined) accepted++;
      continue;
    }
    try {
      const whole: string[] = [];
      for await (const text of readLines(chunksOf(bytes))) whole.push(text);
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      assert.equal(whole.join("\n"), text.replace(/\n$/, ""));
    } catch (error) {
      assert.ok(error instanceof TypeError, String(error));
    }
  }
}
assert.equal(({} as { x?: number }).x, undefined);
process.stdout.write(`${done} runs, ${lines} lines parsed, ${accepted} of them taken: ok\n`);
