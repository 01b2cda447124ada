import type { Acceleration, RecallAcceleration } from "../acceleration/acceleration.js";
import { ChunkAccess } from "../atoms/chunk-access.js";
import type { Indexer } from "../atoms/indexer.js";
import type { BankHandle } from "../bank-handle.js";
import type { EmbeddingChoice } from "../embed/choice.js";
import { type StoredEntry, toEntry } from "../entry.js";
import { idOf } from "../ids.js";
import type { Bits } from "../internal/bits.js";
import { nextSlice, sliceIsOver } from "../internal/slices.js";
import { withCancel } from "../native/cancel.js";
import { type NativeView, NONE } from "../native/store-binding.js";
import { Accountant } from "../pack/accountant.js";
import { type Chosen, type Pack, pack, type Ranked } from "../pack/pack.js";
import { packerNamed } from "../pack/packers.js";
import type { EncodedText, SignatureEncoder } from "../signatures/encoder.js";
import { datesNamed, type NamedDate } from "../text/dates.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { type Word, words } from "../text/words.js";
import type { Reasons, Recall, RecalledAtom, RecallItem } from "../types.js";
import { dateMarks } from "./date-marks.js";
import { entryOf } from "./entry-of.js";
import { EntryReader, type WholeEntry } from "./entry-reader.js";
import { foundLater } from "./found-later.js";
import { searchText } from "./keywords.js";
import { type Matches, QuestionMatcher } from "./matches.js";
import type { ResolvedRecallOptions } from "./options.js";
import { type Place, placesNamed } from "./places.js";
import { defaultRadius, type Ranking, type Strategy } from "./strategy.js";
import { ToolPairs } from "./tool-pairs.js";

/** What a recall needs of the memory it is in. */
export interface RecallEngine {
  readonly tokenizer: Tokenizer;
  readonly encoder: SignatureEncoder;
  /** The words on each side that are part of a stored word's signature. */
  readonly window: number;
  readonly readOnly: boolean;
  readonly embedding: EmbeddingChoice;
  readonly indexer: Indexer;
  /** Undefined: the engine does everything itself. */
  readonly acceleration: Acceleration | undefined;
  /** @throws {@link DentateError} `DENTATE_CLOSED` once the memory is closed. */
  assertOpen(): void;
  /** What the memory does not wait for when it is closed. */
  untilClosed<T>(pending: Promise<T>): Promise<T>;
  loadedBank(name: string): Promise<BankHandle>;
}

/** No strategy ranks fewer entries than this for want of budget. */
const LEAST_LIMIT = 64;
/** As many as native code can count. */
const MOST_LIMIT = 2 ** 32 - 1;
/** As few tokens as an entry's line can have. */
const SHORTEST_LINE = 4;
/** How many entries are ranked where the caller counts, in a unit that nobody else knows. */
const LIMIT_OF_OTHER_COUNTS = 1024;

/**
 * question -> words -> signatures -> ranked entries -> packed text.
 *
 * Ranking runs away from the JavaScript thread; what remains on it waits for its slice of the event
 * loop. From the ranking on, the recall is about one moment of the bank, at or after the call.
 *
 * @throws {@link DentateError} `DENTATE_ABORTED`, `DENTATE_CLOSED`.
 */
export function recall(
  engine: RecallEngine,
  bankName: string,
  question: string,
  strategy: Strategy,
  options: ResolvedRecallOptions,
): Promise<Recall> {
  const clock = new Stopwatch();
  const { keywords, signal, budget } = options;
  /** Waits for a slice; the memory may be closed, or the caller gone, before it comes. */
  const nextStage = async () => {
    if (sliceIsOver()) await nextSlice();
    engine.assertOpen();
    if (signal?.aborted) throw signal.reason;
  };
  return withCancel(signal, async (cancel) => {
    const text = await engine.untilClosed(searchText(question, keywords, signal));
    const keywordsMs = keywords === undefined ? 0 : clock.lap();
    const bank = await engine.loadedBank(bankName);
    await nextStage();
    const asked = words(text);
    const dates = datesNamed(text, asked);
    const query = engine.encoder.encodeQuery(asked);
    const encodeMs = clock.lap();
    return bank.viewing(options.asOf, async (view) => {
      const mask =
        options.filter === undefined ? undefined : await bank.masks.select(view, options.filter);
      const bits = Math.ceil(engine.encoder.bits / 64) * 64;
      const acceleration = engine.acceleration?.forRecall(bankName, bits, signal);
      const about = { bankName, question, asked, dates, query, mask, acceleration, cancel };
      const ranking = await rank(engine, bank, view, about, strategy, options);
      const rankMs = clock.lap();
      await nextStage();
      const reader = new EntryReader(view, ranking, engine.tokenizer);
      const pairs = new ToolPairs(view, mask, engine.tokenizer);
      const packed = await packRanking(engine, reader, pairs, ranking, options);
      const radius = ranking.radius ?? options.radius ?? defaultRadius(engine.encoder.bits);
      const { shares = NO_SHARES, lengthFactor } = ranking;
      const matcher = new QuestionMatcher(
        { words: asked, dates, query, radius, shares, lengthFactor },
        engine.encoder,
      );
      const items = toItems(ranking, packed, reader, matcher);
      const missed = new Set(packed.skipped.map((rank) => ranking.entries[rank]!));
      for (const { entry } of packed.packed) missed.delete(entry.ordinal);
      const skipped = view.origins(Uint32Array.from(missed));
      if (options.forgetting !== undefined && !engine.readOnly) {
        const recalled = new Set(packed.packed.map(({ entry }) => entry.ordinal));
        bank.native.touch(Uint32Array.from(recalled), Date.now());
      }
      const packMs = clock.lap();
      return {
        text: packed.text,
        tokens: packed.tokens,
        budget,
        items,
        skipped: Array.from(skipped, idOf),
        atoms: toAtoms(ranking, items, packed),
        strategy: strategy.name,
        packer: options.packer,
        timings: {
          keywords: keywordsMs,
          encode: encodeMs,
          rank: rankMs,
          pack: packMs,
          total: clock.total(),
          accelerators: acceleration?.timings ?? [],
        },
      };
    });
  });
}

interface Asked {
  readonly bankName: string;
  readonly question: string;
  readonly asked: readonly Word[];
  readonly dates: readonly NamedDate[];
  readonly query: EncodedText;
  /** The entries that the caller's filter selects; all if undefined. */
  readonly mask: Bits | undefined;
  readonly acceleration: RecallAcceleration | undefined;
  readonly cancel: Int32Array | undefined;
}

async function rank(
  engine: RecallEngine,
  bank: BankHandle,
  view: NativeView,
  { bankName, question, asked, dates, query, mask, acceleration, cancel }: Asked,
  strategy: Strategy,
  {
    budget,
    countTokens,
    radius,
    forgetting,
    at,
    asOf,
    signal,
    retrieveBy,
    retrieveK,
  }: ResolvedRecallOptions,
): Promise<Ranking> {
  // An empty text is what 0 tokens are for, and what an empty bank has.
  if (budget === 0 || view.liveCount === 0) {
    return { entries: new Uint32Array(0), scores: new Float32Array(0) };
  }
  const now = at ?? asOf ?? Date.now();
  const limit =
    countTokens === undefined
      ? Math.min(MOST_LIMIT, Math.max(LEAST_LIMIT, Math.ceil(budget / SHORTEST_LINE)))
      : LIMIT_OF_OTHER_COUNTS;
  return strategy.rank({
    question,
    query,
    view,
    mask,
    limit,
    signatureBits: engine.encoder.bits,
    window: engine.window,
    radius,
    namedSpeakers: () => bank.speakerWords(view).namedBy(asked, query),
    dateMarks: () => dateMarks(dates, query, view),
    places: () =>
      placesNamed(
        {
          question,
          words: asked,
          dates,
          now,
          entryOf: (event) => entryOf(engine, view, event, mask),
        },
        view,
        engine.tokenizer,
      ),
    now,
    forgetting: forgetting && {
      weight: forgetting.weight,
      stabilityMs: forgetting.halfLife / Math.LN2,
      now,
    },
    balls: async (signatures, within) => acceleration?.balls(signatures, within, view),
    chunks: new ChunkAccess({
      embedding: engine.embedding,
      tokenizer: engine.tokenizer,
      view,
      question,
      vector: query.vector,
      mask,
      acceleration,
      cancel,
      signal,
      wanted: () => {
        if (!engine.readOnly) engine.indexer.wanted(bankName);
      },
      caughtUp: async () => {
        if (!engine.readOnly) await engine.untilClosed(engine.indexer.caughtUp(bankName));
      },
      untilClosed: (pending) => engine.untilClosed(pending),
    }),
    retrieveBy,
    retrieveK,
    cancel,
  });
}

function packRanking(
  { tokenizer }: RecallEngine,
  reader: EntryReader,
  pairs: ToolPairs,
  { entries, atoms, contiguous = false }: Ranking,
  { budget, countTokens, packer, marked }: ResolvedRecallOptions,
): Promise<Pack<StoredEntry>> {
  const ranked: Ranked<StoredEntry> = {
    count: entries.length,
    contiguous,
    tokensOf: (rank) => reader.tokensOf(rank),
    read: (ranks) => reader.read(ranks),
    atomOf: (rank) => (atoms === undefined || atoms[rank] === NONE ? undefined : atoms[rank]),
    partnersOf: (entry) => pairs.partnersOf(entry),
    readWhole: (ordinals) => pairs.read(ordinals),
  };
  const accountant = new Accountant(budget, tokenizer, countTokens);
  return pack(ranked, packerNamed(packer), accountant, { marked });
}

/**
 * The entries of which something was packed, each at its best rank. What matches in each is found when
 * it is first looked at.
 */
function toItems(
  ranking: Ranking,
  { packed }: Pack<StoredEntry>,
  reader: EntryReader,
  matcher: QuestionMatcher,
): RecallItem[] {
  const chosen = new Map<number, Chosen<StoredEntry>[]>();
  for (const each of packed) {
    const ofEntry = chosen.get(each.entry.ordinal);
    if (ofEntry === undefined) chosen.set(each.entry.ordinal, [each]);
    else ofEntry.push(each);
  }
  return [...chosen.values()].map((ofEntry) => {
    const { rank, entry: first } = ofEntry[0]!;
    const { stored: entry, ranges }: WholeEntry =
      first.piece === undefined
        ? { stored: first, ranges: [[0, first.content.length]] }
        : reader.whole(
            first.ordinal,
            ofEntry.map(({ entry: { piece } }) => piece),
          );
    const score = ranking.scores[rank]!;
    let matches: Matches | undefined;
    return foundLater(toEntry(entry), { score, pieces: ranges }, () => {
      matches ??= matcher.match(entry);
      return {
        reasons: reasonsOf(ranking, rank, matches),
        highlights: matches.highlights,
      };
    });
  });
}

/** The atoms of what was packed, in the order in which the ranking first names them. */
function toAtoms(
  { atoms, scores }: Ranking,
  items: readonly RecallItem[],
  { packed }: Pack<StoredEntry>,
): RecalledAtom[] {
  if (atoms === undefined) return [];
  // An item is an entry, at the place of the first of its pieces.
  const idOfEntry = new Map<number, string>();
  for (const { ordinal } of packed.map(({ entry }) => entry)) {
    if (!idOfEntry.has(ordinal)) idOfEntry.set(ordinal, items[idOfEntry.size]!.id);
  }
  const found = new Map<number, { score: number; ids: Set<string> }>();
  for (const { rank, entry } of packed.toSorted((a, b) => a.rank - b.rank)) {
    const atom = atoms[rank]!;
    if (atom === NONE) continue;
    const of = found.get(atom) ?? { score: scores[rank]!, ids: new Set<string>() };
    found.set(atom, of);
    of.ids.add(idOfEntry.get(entry.ordinal)!);
  }
  return [...found].map(([atom, { score, ids }]) => ({ atom, score, ids: [...ids] }));
}

function reasonsOf(ranking: Ranking, rank: number, { words, own }: Matches): Reasons {
  const inWords = ranking.signatureScores?.[rank] ?? 0;
  const dense = ranking.denseScores?.[rank] ?? 0;
  const place = ranking.placeScores?.[rank] ?? 0;
  const signature = ranking.shares === undefined ? inWords : Math.min(own, inWords);
  return {
    signature,
    neighbour: inWords - signature,
    dense,
    place,
    places: placesOf(ranking.entries[rank]!, ranking.places ?? []),
    other: ranking.scores[rank]! - inWords - dense - place,
    words,
  };
}

/** What the question says of the entry, each only once. */
function placesOf(entry: number, places: readonly Place[]): string[] {
  const holding = places.filter(({ from, to }) => from <= entry && entry < to);
  return [...new Set(holding.map(({ said }) => said))];
}

const NO_SHARES = new Float32Array(0);

class Stopwatch {
  readonly #began = performance.now();
  #last = this.#began;

  /** Milliseconds since the last lap. */
  lap(): number {
    const now = performance.now();
    const ms = now - this.#last;
    this.#last = now;
    return ms;
  }

  total(): number {
    return this.#last - this.#began;
  }
}
