import { Accountant } from "../../src/pack/accountant.js";
import { pack, type Ranked } from "../../src/pack/pack.js";
import { type PackerName, packerNamed } from "../../src/pack/packers.js";
import { AtomIndex, type AtomPolicy, type AtomRule } from "../../src/structures/atom-index.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { type Chunk, type ChunkPart, chunksOf, meanVector } from "./chunks.js";
import type { Conversation } from "./dataset.js";
import { line, type Packed } from "./outcome.js";
import type { Answer, Strategy } from "./strategy.js";

export interface ClusteredSettings {
  /** How chunks become atoms; `none`: each chunk is by itself, which is Budget-RAG. */
  readonly clustering: AtomPolicy | "none";
  readonly packer: PackerName;
  /**
   * Which of the best atoms' chunks are taken first: atom by atom, or by their own relevance; with
   * packer `atoms` the former, else the latter, unless given.
   */
  readonly order?: "atoms" | "relevance";
  /** From which cosine on chunks belong together; found in a conversation's first chunks if absent. */
  readonly threshold?: number | undefined;
  /** Of k-means' starts. */
  readonly seed: number;
  readonly retrieveBy?: AtomRule;
  readonly storage?: "float32" | "int8";
}

/** Of the paper: how many atoms are looked at first. Where the budget has room left, the next ones. */
const RETRIEVE_K = 6;

/**
 * Chunks by atoms, put together here so that one thing at a time can be changed: the clustering, or
 * the packer. With packer `atoms` the best atom comes first, each ranked inside; with `flat` all chunks
 * of the best atoms are one list by relevance.
 */
export function clustered(name: string, settings: ClusteredSettings): Strategy {
  const tokenizer = loadTokenizer();
  const packer = packerNamed(settings.packer);
  return {
    name,
    async open(conversation) {
      const candidates = conversation.turns.map(({ checked }, ordinal) => ({
        ordinal,
        ...checked,
      }));
      const clusters =
        settings.clustering === "online-k-means"
          ? countOf(conversation, settings.threshold)
          : undefined;
      let shown: Clusters | undefined;
      return {
        addMs: [],
        async answer({ question, known = candidates.length }, budgets): Promise<Answer> {
          if (shown?.known !== known) {
            shown = cluster(conversation, known, settings, clusters, shown);
          }
          const start = performance.now();
          const parts = rank(shown, question, settings);
          const rankMs = performance.now() - start;
          const ranked: Ranked = {
            count: parts.length,
            tokensOf: (i) => parts[i]!.part.tokens,
            atomOf: (i) => parts[i]!.atom,
            read: (ranks) =>
              ranks.map((i) => {
                const { turn, content, piece } = parts[i]!.part;
                return { ...candidates[turn]!, content, piece };
              }),
          };
          const packed = new Map<string, Packed>();
          const recallMs: number[] = [];
          for (const budget of budgets) {
            const packStart = performance.now();
            const result = await pack(ranked, packer, new Accountant(budget, tokenizer, undefined));
            recallMs.push(rankMs + performance.now() - packStart);
            packed.set(String(budget), {
              turns: turnsOf(result.packed.map(({ entry }) => entry)),
              text: result.text,
              tokens: result.tokens,
            });
          }
          return { ranking: [...new Set(parts.map(({ part }) => part.turn))], packed, recallMs };
        },
        async close() {},
      };
    },
  };
}

type Entry = { readonly ordinal: number } & Parameters<typeof line>[0];

function turnsOf(entries: readonly Entry[]): Map<number, string> {
  const turns = new Map<number, string>();
  for (const entry of entries) {
    const before = turns.get(entry.ordinal);
    turns.set(entry.ordinal, before === undefined ? line(entry) : `${before} … ${entry.content}`);
  }
  return turns;
}

interface Clusters {
  readonly known: number;
  readonly chunks: readonly Chunk[];
  readonly index: AtomIndex | undefined;
  /** By member of the index. */
  readonly chunkOf: readonly number[];
}

/** The chunks of what is known, which strategies share: embedding is most of the work. */
const lastChunks = new WeakMap<Conversation, { known: number; chunks: readonly Chunk[] }>();

function chunksKnown(conversation: Conversation, known: number): readonly Chunk[] {
  const last = lastChunks.get(conversation);
  if (last?.known === known) return last.chunks;
  const first = last !== undefined && isBetweenSessions(conversation, last.known) ? last.known : 0;
  const chunks =
    first > 0 && first < known
      ? [...last!.chunks, ...chunksOf(conversation, first, known)]
      : chunksOf(conversation, 0, known);
  lastChunks.set(conversation, { known, chunks });
  return chunks;
}

/** Whether no chunk goes on past the first `known` turns: then those that there are stay. */
function isBetweenSessions({ turns }: Conversation, known: number): boolean {
  return turns[known - 1]?.checked.session !== turns[known]?.checked.session;
}

/** The clusters of what is known; those of before go on where they can. */
function cluster(
  conversation: Conversation,
  known: number,
  settings: ClusteredSettings,
  clusters: number | undefined,
  before?: Clusters,
): Clusters {
  const chunks = chunksKnown(conversation, known);
  const goesOn =
    before !== undefined && before.known < known && isBetweenSessions(conversation, before.known);
  const index = goesOn ? before.index : newIndex(conversation, chunks, settings, clusters);
  if (index === undefined) return { known: 0, chunks, index, chunkOf: [] };
  const chunkOf = goesOn ? [...before.chunkOf] : [];
  for (let i = goesOn ? before.chunks.length : 0; i < chunks.length; i++) {
    const { vector } = chunks[i]!;
    if (vector === undefined) continue;
    index.add(vector);
    chunkOf.push(i);
  }
  return { known, chunks, index, chunkOf };
}

function newIndex(
  conversation: Conversation,
  chunks: readonly Chunk[],
  { clustering, threshold, seed, storage = "float32" }: ClusteredSettings,
  clusters: number | undefined,
): AtomIndex | undefined {
  const dimensions = chunks.find(({ vector }) => vector !== undefined)?.vector?.length;
  if (dimensions === undefined) return undefined;
  return new AtomIndex({
    dimensions,
    storage,
    policy: clustering === "none" ? "max-member" : clustering,
    seed,
    clusters,
    threshold: clustering === "none" ? 1 : (threshold ?? calibrated(conversation)),
  });
}

/** Of how many chunks a conversation's threshold is found in, and how much one atom may hold of them. */
const EXAMPLES = 64;
const LARGEST_SHARE = 0.15;
const thresholds = new WeakMap<Conversation, number>();

/** The paper's percentile of pairwise cosines, raised until no atom chains. */
function calibrated(conversation: Conversation): number {
  let threshold = thresholds.get(conversation);
  if (threshold === undefined) {
    const vectors = chunksOf(conversation, 0, conversation.turns.length)
      .flatMap(({ vector }) => (vector === undefined ? [] : [vector]))
      .slice(0, EXAMPLES);
    threshold =
      vectors.length < 2
        ? 1
        : AtomIndex.calibrate(vectors, { percentile: 0.7, largest: LARGEST_SHARE });
    thresholds.set(conversation, threshold);
  }
  return threshold;
}

/** For fairness, k-means gets as many clusters as max-member makes of the whole conversation. */
const counts = new WeakMap<Conversation, Map<number | undefined, number>>();

function countOf(conversation: Conversation, threshold: number | undefined): number {
  const known = counts.get(conversation) ?? new Map<number | undefined, number>();
  counts.set(conversation, known);
  let count = known.get(threshold);
  if (count === undefined) {
    const settings = { clustering: "max-member", packer: "flat", threshold, seed: 1 } as const;
    count = cluster(conversation, conversation.turns.length, settings, undefined).index?.count ?? 1;
    known.set(threshold, count);
  }
  return count;
}

/** The threshold that a conversation is clustered with. */
export function thresholdOf(conversation: Conversation, given: number | undefined): number {
  return given ?? calibrated(conversation);
}

/** The sizes of the atoms that a clustering makes of a conversation, largest first. */
export function atomSizes(conversation: Conversation, settings: ClusteredSettings): number[] {
  const clusters =
    settings.clustering === "online-k-means"
      ? countOf(conversation, settings.threshold)
      : undefined;
  const { index } = cluster(conversation, conversation.turns.length, settings, clusters);
  return index === undefined ? [] : Array.from(index.sizes().sizes).sort((a, b) => b - a);
}

interface RankedPart {
  readonly part: ChunkPart;
  readonly atom: number | undefined;
}

/** Chunks best first, cut into their parts; those whose words have no vectors come last. */
function rank(
  { chunks, index, chunkOf }: Clusters,
  question: string,
  {
    clustering,
    packer,
    order = packer === "atoms" ? "atoms" : "relevance",
    retrieveBy = "first-singular-vector",
  }: ClusteredSettings,
): RankedPart[] {
  const query = meanVector(question);
  if (index === undefined || query === undefined) return inTime(chunks);
  const partsOf = (member: number, atom: number | undefined): RankedPart[] =>
    chunks[chunkOf[member]!]!.parts.map((part) => ({ part, atom }));
  if (clustering === "none") {
    const { members } = index.nearestMembers(query, index.size);
    return Array.from(members).flatMap((member) => partsOf(member, undefined));
  }
  const { atoms } = index.nearest(query, { atoms: index.count, by: retrieveBy });
  const ranked: RankedPart[] = [];
  for (let first = 0; first < atoms.length; first += RETRIEVE_K) {
    const batch = Array.from(atoms.subarray(first, first + RETRIEVE_K)).map((atom) => {
      const members = index.members(atom);
      const scores = index.similarities(query, members);
      return Array.from(members, (member, i) => ({ member, atom, score: scores[i]! }));
    });
    for (const inside of batch) inside.sort((a, b) => b.score - a.score);
    const chosen = batch.flat();
    if (order === "relevance") chosen.sort((a, b) => b.score - a.score);
    for (const { member, atom } of chosen) ranked.push(...partsOf(member, atom));
  }
  return ranked;
}

function inTime(chunks: readonly Chunk[]): RankedPart[] {
  return chunks.flatMap(({ parts }) => parts.map((part) => ({ part, atom: undefined })));
}
