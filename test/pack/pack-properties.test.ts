import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Accountant } from "../../src/pack/accountant.js";
import type { Candidate } from "../../src/pack/candidate.js";
import { type Pack, pack, type Ranked } from "../../src/pack/pack.js";
import { PACKERS, type PackerName, packerNamed } from "../../src/pack/packers.js";
import { stripRecalled } from "../../src/pack/strip-recalled.js";
import { labelKey, labelOf } from "../../src/pack/text.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { ROLES } from "../../src/turn.js";
import { content } from "../lib/contents.js";

const tokenizer = loadTokenizer();
const segmenter = new Intl.Segmenter();
const DAY = 86_400_000;

/** Texts of characters that are several code points, in scripts of either direction, and without breaks. */
const graphemes = fc
  .array(
    fc.constantFrom(
      ...[
        "👩‍👩‍👧‍👦",
        "🏳️‍🌈",
        "🇵🇹",
        "👍🏽",
        "e\u0301",
        "ก็",
        "नि",
        "각",
        "שָׁ",
        "مرحبا",
        "漢",
        "ß",
        "a",
        " ",
        "\r\n",
        "\n",
        "…",
      ],
    ),
    { maxLength: 80 },
  )
  .map((parts) => parts.join(""));

/** What a recall ranks: entries and disjoint pieces of them, some in atoms, some parts of tool calls. */
interface Scene {
  readonly entries: readonly Candidate[];
  readonly ranking: readonly Candidate[];
  readonly atoms: readonly (number | undefined)[];
}

const entry = fc.record({
  content: fc.oneof(content, graphemes),
  session: fc.constantFrom("a", "b"),
  at: fc.integer({ min: 0, max: 3 * DAY }),
  role: fc.constantFrom(...ROLES),
  speaker: fc.option(fc.constantFrom("Ana", "[2026", "<recalled>", "Zoë 🏳️‍🌈"), { nil: undefined }),
  toolCallId: fc.option(fc.constantFrom("c1", "c2"), { nil: undefined }),
});

const scene: fc.Arbitrary<Scene> = fc
  .record({
    entries: fc.array(entry, { maxLength: 14 }),
    numbers: fc.array(fc.nat(), { minLength: 50, maxLength: 50 }),
    atoms: fc.array(fc.option(fc.nat(3), { nil: undefined }), { minLength: 20, maxLength: 20 }),
  })
  .map(({ entries, numbers, atoms }) => {
    let used = 0;
    const next = () => numbers[used++ % numbers.length]!;
    const all: Candidate[] = entries.map((each, ordinal) => ({
      ...each,
      ...{ ordinal, toolName: undefined },
    }));
    const keyed = all
      .flatMap((each) => (next() % 2 === 0 ? [each] : piecesOf(each, next)))
      .map((each) => ({ each, key: next() }));
    const ranking = keyed.sort((x, y) => x.key - y.key).map(({ each }) => each);
    return { entries: all, ranking, atoms: ranking.map((_, i) => atoms[i % atoms.length]) };
  });

/** Some of the pieces that an entry falls into, cut between graphemes that begin with a token. */
function piecesOf(whole: Candidate, next: () => number): Candidate[] {
  const { ends } = tokenizer.encodeWithOffsets(whole.content);
  const of = ends.length;
  if (of < 2) return [whole];
  const starts = new Set(Array.from(segmenter.segment(whole.content), ({ index }) => index));
  const cuts = [0];
  const units = [0];
  for (const [i, end] of ends.entries()) {
    const isFirst = (ends[i - 1] ?? 0) < end;
    const isCut =
      i + 1 === of || (isFirst && (ends[i + 1] ?? 0) > end && starts.has(end) && next() % 4 === 0);
    if (!isCut) continue;
    cuts.push(i + 1);
    units.push(end);
  }
  return cuts.slice(1).flatMap((to, i) => {
    if (next() % 3 === 0) return [];
    const text = whole.content.slice(units[i], units[i + 1]);
    return [{ ...whole, content: text, piece: { from: cuts[i]!, to, of } }];
  });
}

function rankedOf({ entries, ranking, atoms }: Scene): Ranked {
  const tokens = ({ content: text, piece }: Candidate) =>
    piece === undefined ? tokenizer.count(text) : piece.to - piece.from;
  return {
    count: ranking.length,
    tokensOf: (rank) => tokens(ranking[rank]!),
    read: (ranks) => ranks.map((rank) => ranking[rank]!),
    atomOf: (rank) => atoms[rank],
    partnersOf: (one) =>
      one.toolCallId === undefined
        ? []
        : partners(entries, one)
            .filter(({ ordinal }) => ordinal !== one.ordinal)
            .map((other) => ({ ordinal: other.ordinal, tokens: tokens(other) })),
    readWhole: (ordinals) => ordinals.map((ordinal) => entries[ordinal]!),
  };
}

function partners(entries: readonly Candidate[], one: Candidate): Candidate[] {
  return entries.filter(
    ({ toolCallId, session }) => toolCallId === one.toolCallId && session === one.session,
  );
}

/** The text as whoever knows the rule of the backslash reads it. */
function read({ text, packed }: Pack): string {
  const labels = new Set([...ROLES, ...packed.map(({ entry: one }) => labelKey(labelOf(one)))]);
  return text
    .split(/(?<=[\n\r\v\f\u0085\u2028\u2029])/u)
    .map((line) => {
      const rest = /^\\([\s\S]*)$/u.exec(line)?.[1];
      if (rest === undefined) return line;
      const start = rest.replace(/^[\s\p{Cc}\p{Cf}\p{DI}\\]*/u, "");
      const bare = start.replace(/[\p{Cc}\p{Cf}\p{DI}]/gu, "");
      const isHeader =
        /^(?:\[\s*[+-]?(?:\d{4,6}|\d\d)\s*[\p{Pd}\u2212/.]\s*\d|<\s*\/?\s*recalled)/iu.test(bare);
      const colon = bare.indexOf(":");
      const isLabel = colon >= 0 && labels.has(labelKey(bare.slice(0, colon)));
      return isHeader || isLabel ? rest : line;
    })
    .join("");
}

const budgets = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2000 }));
const counters = fc.constantFrom(undefined, (text: string) => text.length);

/** Runs `check` over everything that packs can be made of. */
function forAll(check: (result: Pack, scene: Scene, budget: number, packer: PackerName) => void) {
  return fc.assert(
    fc.asyncProperty(
      scene,
      budgets,
      fc.constantFrom(...PACKERS),
      counters,
      fc.boolean(),
      async (given, budget, packer, count, marked) => {
        const accountant = new Accountant(budget, tokenizer, count);
        const result = await pack(rankedOf(given), packerNamed(packer), accountant, { marked });
        const counted =
          result.text === "" ? 0 : (count ?? tokenizer.count.bind(tokenizer))(result.text);
        assert.equal(result.tokens, counted);
        assert.ok(result.tokens <= budget, `${result.tokens} > ${budget}`);
        if (marked) assert.equal(stripRecalled(result.text), "");
        check(result, given, budget, packer);
      },
    ),
    { numRuns: 300 },
  );
}

const partsOf = (result: Pack) => result.packed.map(({ entry: one }) => one);
const keyOf = ({ ordinal, piece }: Candidate) => `${ordinal}:${piece?.from ?? "all"}`;

describe("a pack of anything", () => {
  it("has nothing twice", () =>
    forAll((result) => {
      const keys = partsOf(result).map(keyOf);
      assert.equal(new Set(keys).size, keys.length);
      const whole = new Set(
        partsOf(result)
          .filter(({ piece }) => piece === undefined)
          .map(({ ordinal }) => ordinal),
      );
      for (const { ordinal, piece } of partsOf(result))
        assert.ok(piece === undefined || !whole.has(ordinal));
    }));

  it("has tool calls with all of their answers, or not at all", () =>
    forAll((result, { entries }) => {
      const shown = new Set(partsOf(result).map(({ ordinal }) => ordinal));
      for (const one of partsOf(result)) {
        if (one.toolCallId === undefined) continue;
        for (const { ordinal } of partners(entries, one)) assert.ok(shown.has(ordinal));
      }
    }));

  it("has every content in full, so that it can be read back", () =>
    forAll((result, _scene, _budget, packer) => {
      const text = read(result);
      for (const one of partsOf(result)) {
        assert.ok(
          text.includes(one.content),
          `${JSON.stringify(one.content)} in ${JSON.stringify(text)}`,
        );
      }
      const lines = packer === "flat" ? 0 : result.packed.length;
      if (lines > 0) assert.match(result.text, /^(?:<recalled>\n)?\[/u);
    }));

  it("is in the packer's order, with one header for a group", () =>
    forAll((result, _scene, _budget, packer) => {
      const layout = packerNamed(packer);
      const arranged = layout.arrange(result.packed);
      const groups = arranged
        .map(({ group }) => group)
        .filter((group, i, all) => group !== all[i - 1]);
      assert.equal(new Set(groups).size, groups.length);
      let last = arranged[0];
      for (const one of arranged) {
        const isSame = packer !== "flat" && one.group === last!.group;
        if (isSame) assert.ok(one.entry.at >= last!.entry.at);
        last = one;
      }
      if (packer !== "atoms") return;
      const byRank = [...new Set(result.packed.map(({ group }) => group))];
      assert.deepEqual(groups, byRank);
    }));
});
