import type { AppendBatch, SearchQuery } from "../../src/native/bank-binding.js";
import { NONE } from "../../src/native/bank-binding.js";

/** A code of an entry: the index of its token, its signature (64 bits) and its stem. */
export interface ModelCode {
  readonly token: number;
  readonly signature: bigint;
  readonly stem: bigint;
}

export interface ModelEntry {
  readonly tokens: number[];
  readonly codes: ModelCode[];
  readonly session: number;
  readonly speaker: number;
  readonly vector: number[];
  readonly metadata: Uint8Array;
}

export interface ModelQuery {
  readonly codes: { code: { signature: bigint; stem: bigint }; word: number }[];
  readonly vector: number[] | undefined;
  readonly radius: number;
  readonly limit: number;
  /** `code` past the query's codes: no signature names the speaker. */
  readonly speakers: { speaker: number; code: number }[];
  readonly marks: { code: number; from: number; to: number }[];
  readonly weights: {
    dense: number;
    speaker: number;
    neighbours: number[];
    length: number;
    prune: number;
    visits: number;
    codes: number;
  };
}

export interface ModelResult {
  readonly entry: number;
  readonly score: number;
  readonly signatureScore: number;
  readonly denseScore: number;
}

export function batchOf(entries: readonly ModelEntry[]): AppendBatch {
  const codes = entries.flatMap((e) => e.codes);
  return {
    tokens: Uint32Array.from(entries.flatMap((e) => e.tokens)),
    tokenCounts: Uint32Array.from(entries, (e) => e.tokens.length),
    signatures: BigUint64Array.from(codes, (c) => c.signature),
    stems: BigUint64Array.from(codes, (c) => c.stem),
    codeTokens: Uint32Array.from(codes, (c) => c.token),
    codeCounts: Uint32Array.from(entries, (e) => e.codes.length),
    sessions: Uint32Array.from(entries, (e) => e.session),
    speakers: Uint32Array.from(entries, (e) => e.speaker),
    vectors: Float32Array.from(entries.flatMap((e) => e.vector)),
    metadata: Uint8Array.from(entries.flatMap((e) => [...e.metadata])),
    metadataLengths: Uint32Array.from(entries, (e) => e.metadata.length),
  };
}

/** The marks that are of a signature. */
function marksOf(query: ModelQuery) {
  return query.marks.filter((m) => m.code < query.codes.length);
}

export function queryOf(query: ModelQuery): SearchQuery {
  return {
    signatures: BigUint64Array.from(query.codes, (c) => c.code.signature),
    stems: BigUint64Array.from(query.codes, (c) => c.code.stem),
    wordOf: Uint32Array.from(query.codes, (c) => c.word),
    radius: query.radius,
    limit: query.limit,
    vector: query.vector && Float32Array.from(query.vector),
    speakers: Uint32Array.from(query.speakers, (s) => s.speaker),
    speakerCodes: Uint32Array.from(query.speakers, (s) =>
      s.code < query.codes.length ? s.code : NONE,
    ),
    marks: Uint32Array.from(marksOf(query).flatMap((m) => [m.code, m.from, m.to])),
    weights: { ...query.weights, neighbours: Float32Array.from(query.weights.neighbours) },
  };
}

function distance(a: bigint, b: bigint): number {
  let count = 0;
  for (let bits = a ^ b; bits !== 0n; bits &= bits - 1n) ++count;
  return count;
}

/** The entries at most `reach` places from `entry` in its session, by place; absent ones undefined. */
function around(entries: readonly ModelEntry[], entry: number, reach: number) {
  const members = [...entries.keys()].filter(
    (e) => entries[e]!.session === entries[entry]!.session,
  );
  const at = members.indexOf(entry);
  return (place: number) => (Math.abs(place) <= reach ? members[at + place] : undefined);
}

function windowCosine(entries: readonly ModelEntry[], entry: number, query: number[]): number {
  const near = around(entries, entry, 2);
  const window = query.map(() => 0);
  for (const [place, weight] of [0.25, 0.5, 1, 0.5, 0.25].entries()) {
    const member = near(place - 2);
    if (member === undefined) continue;
    for (const [j, value] of entries[member]!.vector.entries()) window[j]! += weight * value;
  }
  const dot = window.reduce((sum, value, j) => sum + value * query[j]!, 0);
  const length = Math.hypot(...window) * Math.hypot(...query);
  return length === 0 ? 0 : dot / length;
}

/** The share that a code must give to be looked up, so that `visits` entries are, in all. */
function leastShare(
  codes: readonly (readonly [share: number, entries: number])[],
  pruned: number,
  visits: number,
): number {
  const kept = codes.filter(([share]) => share > 0 && share >= pruned);
  const shares = [...new Set(kept.map(([share]) => share))].sort((a, b) => a - b);
  const entriesFrom = (least: number) =>
    kept.reduce((sum, [share, entries]) => sum + (share >= least ? entries : 0), 0);
  if (entriesFrom(pruned) <= visits) return pruned;
  return shares.find((share) => entriesFrom(share) <= visits) ?? shares.at(-1) ?? pruned;
}

/** native/bank/search.h, word by word. */
export function naiveSearch(
  entries: readonly ModelEntry[],
  query: ModelQuery,
  bits: number,
): ModelResult[] {
  const n = entries.length;
  const count = query.codes.length;
  // Single precision, as in the bank: sums of these are exact, so that equal bounds stay equal.
  const weight = (h: number) =>
    2 * h < bits ? Math.fround(Math.cos((Math.PI * h) / bits) ** 2) : 0;
  const closeness = (q: number, c: { signature: bigint; stem: bigint }) => {
    const { signature, stem } = query.codes[q]!.code;
    if (stem === c.stem) return 1;
    const h = distance(signature, c.signature);
    return h <= query.radius ? weight(h) : 0;
  };
  const namedBy = (q: number) => query.speakers.filter((s) => s.code === q).map((s) => s.speaker);
  const marked = (q: number, e: number) =>
    marksOf(query).filter((m) => m.code === q && m.from <= e && e < m.to);
  const mean = entries.reduce((sum, e) => sum + e.codes.length, 0) / n;
  const length = (e: ModelEntry) =>
    1 - query.weights.length + (mean > 0 ? (query.weights.length * e.codes.length) / mean : 0);
  const idf = (df: number, q: number) =>
    Math.log(1 + (Math.max(0, n - df) + 0.5) / (df + 0.5)) /
    query.codes.filter((c) => c.word === query.codes[q]!.word).length;

  const scores = Array.from({ length: n }, () => 0);
  let total = 0;
  const bound = Array.from({ length: count }, (_, q) => {
    let sum = 0;
    for (const e of entries) {
      const distinct = new Map(e.codes.map((c) => [`${c.signature} ${c.stem}`, closeness(q, c)]));
      for (const g of distinct.values()) sum += g;
    }
    for (const speaker of namedBy(q)) sum += entries.filter((e) => e.speaker === speaker).length;
    for (const e of entries.keys()) sum += marked(q, e).length;
    return idf(sum, q);
  });
  const order = [...bound.keys()].sort((a, b) => bound[b]! - bound[a]! || a - b);
  const chosen = order.slice(0, query.weights.codes);
  const least = leastShare(
    chosen.flatMap((q) => {
      const holders = new Map<string, [share: number, entries: number]>();
      for (const e of entries) {
        for (const c of new Map(e.codes.map((c) => [`${c.signature} ${c.stem}`, c])).values()) {
          const key = `${c.signature} ${c.stem}`;
          const [, before] = holders.get(key) ?? [0, 0];
          holders.set(key, [bound[q]! * closeness(q, c), before + 1]);
        }
      }
      return [...holders.values()];
    }),
    query.weights.prune * chosen.reduce((sum, q) => sum + bound[q]!, 0),
    query.weights.visits,
  );
  for (const q of chosen) {
    const named = namedBy(q);
    const match = entries.map((e, at) =>
      named.includes(e.speaker) || marked(q, at).length > 0
        ? 1
        : Math.max(0, ...e.codes.map((c) => closeness(q, c)).filter((g) => bound[q]! * g >= least)),
    );
    const rarity = idf(
      match.reduce((sum, value) => sum + value, 0),
      q,
    );
    total += rarity;
    const shine = match.map((value, e) => value / length(entries[e]!));
    for (let e = 0; e < n; ++e) {
      const near = around(entries, e, 4);
      let best = shine[e]!;
      for (const [k, factor] of query.weights.neighbours.entries()) {
        for (const place of [-k - 1, k + 1]) {
          const member = near(place);
          if (member !== undefined) best = Math.max(best, factor * shine[member]!);
        }
      }
      scores[e]! += rarity * best;
    }
  }
  return entries
    .map((e, entry): ModelResult => {
      const signatureScore = total > 0 ? scores[entry]! / total : 0;
      const denseScore =
        query.vector === undefined ? 0 : windowCosine(entries, entry, query.vector);
      const named = query.speakers.some((s) => s.speaker === e.speaker);
      const score =
        signatureScore + query.weights.dense * denseScore + (named ? query.weights.speaker : 0);
      return { entry, score, signatureScore, denseScore };
    })
    .filter((result) => query.vector !== undefined || result.score > 0)
    .sort((a, b) => b.score - a.score || a.entry - b.entry)
    .slice(0, query.limit);
}

/** native/bank/search_all.h, word by word. */
export function naiveSearchAll(
  entries: readonly ModelEntry[],
  query: ModelQuery,
  bits: number,
  withStems: boolean,
): { entry: number; score: number }[] {
  const found: { entry: number; score: number }[] = [];
  for (const [entry, e] of entries.entries()) {
    const nearest = query.codes.map(({ code }) =>
      Math.min(
        ...e.codes.map((c) =>
          withStems && c.stem === code.stem ? 0 : distance(c.signature, code.signature),
        ),
      ),
    );
    if (nearest.length === 0 || nearest.some((h) => h > query.radius)) continue;
    const sum = nearest.reduce((total, h) => total + Math.cos((Math.PI * h) / bits), 0);
    found.push({ entry, score: Math.fround(sum / nearest.length) });
  }
  return found.sort((a, b) => b.score - a.score || b.entry - a.entry).slice(0, query.limit);
}
