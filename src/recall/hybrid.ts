import { inSearchSlot } from "../internal/search-slots.js";
import type { Boosts } from "../native/search-binding.js";
import { ROLES } from "../turn.js";
import { type ChunkLift, chunkLift, withoutLift } from "./chunk-lift.js";
import type { Place } from "./places.js";
import { defaultRadius, type RankContext, type Ranking, type Strategy } from "./strategy.js";

/**
 * The signature search: how much of the question's words an entry and its neighbours hold, each word
 * weighed by how rare it is; plus, for `hybrid`, the cosine of the question's mean vector and the
 * entry's window, and what a model of the caller's says of its chunk (chunk-lift.ts); plus a little where the
 * question names the speaker. native/bank/search.h has the
 * formula; the weights are what did best on the development share of LoCoMo, on each half of it.
 */
const DENSE_WEIGHT = 0.8;
const SPEAKER_WEIGHT = 0.12;
/** What an entry has of a word that its neighbours hold, 1 to 4 entries away in its session. */
const NEIGHBOUR_WEIGHTS = Float32Array.of(0.6, 0.5, 0.4, 0.3);
/** How far a match counts less in an entry that is longer than the others. */
const LENGTH_WEIGHT = 0.1;
/** Words so far off, or so common, that they give less than this share of a score are passed over. */
const PRUNED_SHARE = 0.08;
/** The rarest of the question's signatures that are searched for. */
const MOST_CODES = 12;
/** What bounds a search in a large bank: entries looked up for words, the most telling ones first. */
const MOST_VISITS = 4096;
/**
 * Entries, the best by their words, whose cosines are worked out. With 1,024 nothing that is measured
 * gets better by more than 0.1 points, and a recall from a million tokens takes 0.25 ms longer.
 */
const MOST_CANDIDATES = 512;

/** An entry of more tokens than it stays whole with is cut into pieces of about so many. */
const PIECE_TOKENS = 100;
const MOST_WHOLE_TOKENS = 160;
/** Of the best so many entries the long ones are cut. */
const MOST_CUT = 128;
/** How far an entry's words count for each of its pieces. */
const ENTRY_SHARE = 0.8;
/**
 * A tool's output comes in bulk: many pieces of it hold a question's words, and what was done is said
 * in a line beside it. So does what an agent hands to a tool. The price is the square root of the
 * length, from so many tokens on; and of one entry, each piece counts less for each better one.
 */
const BULK_PRICE = 0.5;
const BULK_FREE_TOKENS = 20;
const ACTION_FREE_TOKENS = 40;
const GIVE_WAY = 0.05;
/** A tool often says again what it said before: how far that counts less. */
const REPEAT = 0.5;
/**
 * What was said lately counts a little more: a question is often about what goes on. So many entries
 * back it is half of that. A question that is asked long after everything was said is about no part of
 * it in particular, and then this is nothing; nor does one mean now that names a time or a place
 * further back than that.
 */
const RECENCY_WEIGHT = 0.2;
const RECENCY_ENTRIES = 200;
const MS_OF_DAY = 86_400_000;
const RECENCY_HALF_LIFE_MS = 30 * MS_OF_DAY;

/**
 * A question that says nothing to search for, such as "And then?", is answered with the latest
 * entries: it goes on from there.
 */
export const hybrid: Strategy = {
  name: "hybrid",
  async rank(context) {
    const places = await context.places();
    if (context.query.stems.length > 0 || places.length > 0) {
      return search(context, DENSE_WEIGHT, places);
    }
    const entries = context.view.latest(context.limit, context.mask);
    return { entries, scores: new Float32Array(entries.length) };
  },
};

/** The signatures alone. */
export const hippocampus: Strategy = {
  name: "hippocampus",
  rank: (context) => search(context, 0, []),
};

function boostsOf(places: readonly Place[], lift: ChunkLift | undefined): Boosts {
  const { ranges, weights } = lift?.boosts ?? { ranges: [], weights: [] };
  return {
    ranges: Uint32Array.from([...places.flatMap(({ from, to }) => [from, to]), ...ranges]),
    weights: Float32Array.from([...places.map(({ weight }) => weight), ...weights]),
  };
}

async function search(
  context: RankContext,
  dense: number,
  places: readonly Place[],
): Promise<Ranking> {
  const { query, view, mask, limit, forgetting, cancel } = context;
  const radius = context.radius ?? defaultRadius(context.signatureBits);
  const { speakers, speakerCodes } = context.namedSpeakers();
  const marks = context.dateMarks();
  const weights = {
    dense,
    speaker: SPEAKER_WEIGHT,
    neighbours: NEIGHBOUR_WEIGHTS,
    length: LENGTH_WEIGHT,
    codes: MOST_CODES,
    visits: MOST_VISITS,
    candidates: MOST_CANDIDATES,
    piece: PIECE_TOKENS,
    whole: MOST_WHOLE_TOKENS,
    cut: MOST_CUT,
    entryShare: ENTRY_SHARE,
    bulky: dense > 0 ? 1 << ROLES.indexOf("tool") : 0,
    acting: 1 << ROLES.indexOf("assistant"),
    bulkPrice: BULK_PRICE,
    bulkFree: BULK_FREE_TOKENS,
    actionFree: ACTION_FREE_TOKENS,
    giveWay: GIVE_WAY,
    repeat: REPEAT,
  };
  const lift = dense > 0 ? await chunkLift(context) : undefined;
  const asked = {
    signatures: query.signatures,
    stems: query.stems,
    wordOf: query.wordOf,
    ...(dense > 0 && query.vector !== undefined && { vector: query.vector }),
    speakers,
    speakerCodes,
    marks,
    boosts: boostsOf(places, lift),
    radius,
    known: await context.balls(query.signatures, radius),
    limit,
    mask,
    forgetting,
    ...(dense > 0 && {
      recency: {
        weight: RECENCY_WEIGHT,
        entries: RECENCY_ENTRIES,
        halfLifeMs: RECENCY_HALF_LIFE_MS,
        // In whole days, so that the same question has the same answer a moment later.
        now: Math.floor(context.now / MS_OF_DAY) * MS_OF_DAY,
      },
    }),
  };
  const found = await inSearchSlot(async () => {
    const pruned = { ...asked, weights: { ...weights, prune: PRUNED_SHARE } };
    const most = await view.search(pruned, cancel);
    if (most.entries.length > 0) return most;
    // Every word that the bank knows is common beside one that it never heard: better than nothing.
    return view.search({ ...asked, weights: { ...weights, prune: 0 } }, cancel);
  });
  return {
    ...(lift === undefined ? found : withoutLift(found, lift, places)),
    places,
    lengthFactor: (codes) => 1 / (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * codes) / found.meanCodes),
    radius,
  };
}
