import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Command } from "commander";
import ts from "typescript";
import { makeProgram } from "../../src/cli/program.js";
import { DEFAULT_CHUNK_TOKENS, DEFAULT_CHUNK_TURNS } from "../../src/embed/choice.js";
import { checkMemoryOptions } from "../../src/memory-options.js";
import { checkListOptions, checkMapOptions } from "../../src/options.js";
import { checkRecallOptions } from "../../src/recall/options.js";
import { DEFAULT_ENCODER_OPTIONS } from "../../src/settings.js";
import { readMarkdown, root } from "./markdown.js";

/** Holds docs/guides/configuration.md against the source: no option is missing, no bound is another. */
const PAGE = "docs/guides/configuration.md";

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
}

/** The tables below a heading, up to the next one. */
function tables(heading: string): Row[][] {
  const lines = readMarkdown(PAGE).split("\n");
  const from = lines.findIndex((line) => line.replace(/^#+ /, "") === heading);
  assert.ok(from >= 0, `${PAGE} has no heading "${heading}"`);
  const found: Row[][] = [];
  for (const [i, line] of lines.entries()) {
    if (i <= from) continue;
    if (/^#/.test(line)) break;
    if (!line.startsWith("| `")) {
      if (line.startsWith("|--")) found.push([]);
      continue;
    }
    const cells = line.slice(2, -1).split(/ *\| */);
    found.at(-1)!.push({ name: cells[0]!.replaceAll("`", ""), cells: cells.slice(1) });
  }
  return found;
}

/** The names of an interface's own properties. */
function propertiesOf(file: string, name: string): string[] {
  const text = readFileSync(join(root, "src", file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023);
  for (const statement of source.statements) {
    if (!ts.isInterfaceDeclaration(statement) || statement.name.text !== name) continue;
    return statement.members.map((member) => (member.name as ts.Identifier).text);
  }
  return assert.fail(`${file} has no interface ${name}`);
}

const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** `64 KiB`, `3,600,000`, `-1`; undefined for what is no number. */
function numberOf(text: string): number | undefined {
  const found = /^(-?[\d.,]+)(?: ([KMG]iB))?/.exec(text.trim());
  if (found === null) return undefined;
  return Number(found[1]!.replaceAll(",", "")) * (UNITS[found[2] ?? ""] ?? 1);
}

/** Tries what the cell says: the bounds are taken, what is beyond them is not. */
function checkBounds({ name, cells }: Row, accepts: (value: number) => void): void {
  const range = /^(.+?) to (.+)$/.exec(cells[0]!);
  const least = range === null ? undefined : numberOf(range[1]!);
  if (range !== null && least !== undefined) {
    const most = numberOf(range[2]!)!;
    for (const value of [least, most]) accepts(value);
    for (const value of [least - 1, most + 1]) {
      assert.throws(() => accepts(value), RangeError, `${name}: ${value} is taken`);
    }
  }
  const open = /^(\d+) or more/.exec(cells[0]!);
  if (open === null) return;
  accepts(Number(open[1]));
  assert.throws(() => accepts(Number(open[1]) - 1), RangeError, name);
}

function checkDefault({ name, cells }: Row, value: unknown): void {
  const stated = cells[1]!.replaceAll("`", "");
  if (typeof value === "number") assert.equal(numberOf(stated), value, name);
  else if (typeof value === "string" || typeof value === "boolean") {
    assert.equal(stated, String(value), name);
  }
}

const names = (rows: readonly Row[]) => rows.map(({ name }) => name).sort();

describe("the configuration page", () => {
  it("has the options of Memory.open", () => {
    const [rows] = tables("Memory.open") as [Row[]];
    assert.deepEqual(
      names(rows),
      [
        ...propertiesOf("memory-options.ts", "MemoryOptions"),
        ...propertiesOf("memory-options.ts", "EncoderChoiceOptions"),
      ].sort(),
    );
    const standard: Readonly<Record<string, unknown>> = {
      ...checkMemoryOptions("store", {}),
      encoder: "distilled",
      signatureBits: DEFAULT_ENCODER_OPTIONS.bits,
      indexDimensions: DEFAULT_ENCODER_OPTIONS.indexDimensions,
      nonZeros: DEFAULT_ENCODER_OPTIONS.nonZeros,
      window: DEFAULT_ENCODER_OPTIONS.window,
      chunkTurns: DEFAULT_CHUNK_TURNS,
      chunkTokens: DEFAULT_CHUNK_TOKENS,
    };
    for (const row of rows) {
      const others = row.name === "window" ? { encoder: "random-indexing" } : {};
      checkBounds(row, (value) => checkMemoryOptions("store", { ...others, [row.name]: value }));
      checkDefault(row, standard[row.name]);
    }
  });

  it("has the options of recall", () => {
    const [rows] = tables("recall") as [Row[]];
    assert.deepEqual(names(rows), propertiesOf("recall/options.ts", "RecallOptions").sort());
    const standard = checkRecallOptions("?", {}, 128) as unknown as Record<string, unknown>;
    for (const row of rows) {
      checkBounds(row, (value) => checkRecallOptions("?", { [row.name]: value }, 128));
      checkDefault(row, standard[row.name]);
    }
    const [curve] = tables("forgetting") as [Row[]];
    assert.deepEqual(names(curve), propertiesOf("recall/options.ts", "Forgetting").sort());
    const { forgetting } = checkRecallOptions("?", { forgetting: {} }, 128);
    for (const row of curve) {
      const set = (value: number) => ({ forgetting: { [row.name]: value } });
      checkBounds(row, (value) => checkRecallOptions("?", set(value), 128));
      checkDefault(row, forgetting![row.name as "weight"]);
    }
  });

  it("has the options of add, addMany and list", () => {
    const [adding, listing] = tables("add, addMany, list") as [Row[], Row[]];
    assert.deepEqual(
      names(adding),
      [
        ...propertiesOf("options.ts", "AddOptions"),
        ...propertiesOf("options.ts", "AddManyOptions"),
      ].sort(),
    );
    assert.deepEqual(names(listing), propertiesOf("options.ts", "ListOptions").sort());
    for (const row of listing) {
      checkBounds(row, (value) => checkListOptions({ [row.name]: value }));
      checkDefault(row, checkListOptions({})[row.name as "limit"]);
    }
  });

  it("has the options of map", () => {
    const [rows] = tables("map") as [Row[]];
    assert.deepEqual(names(rows), propertiesOf("options.ts", "MapOptions").sort());
    for (const row of rows) {
      checkBounds(row, (value) => checkMapOptions({ [row.name]: value }));
      if (row.name === "limit") checkDefault(row, checkMapOptions({}).limit);
    }
  });

  it("has the options of the service", () => {
    const [app, listening] = tables("createApp and listen") as [Row[], Row[]];
    assert.deepEqual(
      new Set(names([...app, ...listening])),
      new Set([
        ...propertiesOf("server/app.ts", "ServiceOptions"),
        ...propertiesOf("server/listen.ts", "ListenPlace"),
      ]),
    );
  });

  it("has the options of telemetry", () => {
    const [rows] = tables("instrument") as [Row[]];
    assert.deepEqual(names(rows), propertiesOf("telemetry/recorder.ts", "TelemetryOptions").sort());
  });

  it("has the flags of every command", () => {
    const [rows] = tables("Command line") as [Row[]];
    const stated = new Map<string, string>();
    const everywhere = rows.filter(({ cells }) => /^(all that|the same)/.test(cells[0]!));
    for (const { name, cells } of rows) {
      for (const command of cells[0]!.matchAll(/`([^`]+)`/g)) {
        stated.set(`${command[1]} ${name}`, cells[1]!);
      }
    }
    const walk = (command: Command, path: string): void => {
      for (const sub of command.commands) walk(sub, `${path} ${sub.name()}`.trim());
      if (path === "") return;
      for (const { long, defaultValue } of command.options) {
        const said = stated.get(`${path} ${long}`);
        if (said === undefined) {
          const isCommon = everywhere.some(({ name }) => name === long);
          assert.ok(isCommon, `${PAGE} lacks ${path} ${long}`);
          continue;
        }
        stated.delete(`${path} ${long}`);
        if (typeof defaultValue === "string" || typeof defaultValue === "number") {
          // The path of the bundled conversation differs from machine to machine.
          if (long !== "--from") assert.equal(said, String(defaultValue), `${path} ${long}`);
        }
      }
    };
    walk(makeProgram(), "");
    assert.deepEqual([...stated.keys()], [], "there are no such flags");
  });

  it("has the variables of the environment", () => {
    const [rows] = tables("Environment") as [Row[]];
    const read = new Set<string>();
    for (const folder of ["src", "native"]) {
      for (const file of readdirSync(join(root, folder), { recursive: true }) as string[]) {
        if (!/\.(ts|cc|h)$/.test(file)) continue;
        const text = readFileSync(join(root, folder, file), "utf8");
        const pattern = /(?:process\.env\["|getenv\("|_VARIABLE = ")([A-Z][A-Z0-9_]+)"/g;
        for (const [, name] of text.matchAll(pattern)) read.add(name!);
      }
    }
    assert.deepEqual(names(rows), [...read].sort());
  });
});
