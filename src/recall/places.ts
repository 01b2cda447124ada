import { numbersIn } from "../internal/bits.js";
import type { NativeView } from "../native/store-binding.js";
import type { NamedDate } from "../text/dates.js";
import type { Tokenizer } from "../text/tokenizer.js";
import type { Word } from "../text/words.js";
import { type EventNamed, eventsNamed } from "./events.js";
import { type OrdinalNamed, ordinalsNamed } from "./ordinals.js";
import { Positions } from "./positions.js";
import { type TimeNamed, timesNamed } from "./time.js";

/**
 * Entries that a question points at by when they were said or by their place in the order of things,
 * rather than by words: what it says of time is seldom in them. A question may not mean it so, and the
 * answer may lie elsewhere; so a place lifts entries a little and leaves nothing out.
 */
export interface Place {
  /** Numbers of entries, half-open; what is not current among them does not count. */
  readonly from: number;
  readonly to: number;
  /** In shares of the best score that an entry has by its words. */
  readonly weight: number;
  /** The words of the question. */
  readonly said: string;
}

export interface PlacesAsked {
  readonly question: string;
  readonly words: readonly Word[];
  readonly dates: readonly NamedDate[];
  /** When it is asked: Unix milliseconds. */
  readonly now: number;
  /** The entry that holds these words best, if any holds most of them. */
  entryOf(event: string): Promise<number | undefined>;
}

/** By how long a time is: the longer, the less it tells. */
const TIME_WEIGHTS: readonly (readonly [days: number, weight: number])[] = [
  [1.5, 0.3],
  [7.5, 0.25],
  [32, 0.15],
  [400, 0.08],
  [Number.POSITIVE_INFINITY, 0.04],
];
/** Of the entries that are named, and of those up to 1 and up to 3 places beside them, all added up. */
const NAMED_WEIGHT = 0.3;
const BESIDE: readonly (readonly [distance: number, weight: number])[] = [
  [1, 0.15],
  [3, 0.1],
];
/** So many named entries have the full weight; more share it. */
const FULL_WEIGHT_ENTRIES = 8;
/** Days before and after the entry that tells of an event. */
const EVENT_WEIGHTS: Readonly<
  Record<EventNamed["side"], readonly (readonly [before: number, after: number, weight: number])[]>
> = {
  before: [
    [1, 1, 0.1],
    [30, 0, 0.1],
  ],
  after: [
    [1, 1, 0.1],
    [0, 30, 0.1],
  ],
  during: [[1, 1, 0.2]],
};
const SESSION_WEIGHT = 0.15;
const MS_OF_DAY = 86_400_000;
/** A question that holds a whole log names no place; to look all of them up would take its time. */
const MOST_ORDINALS = 32;

/** The places that a question names, as runs of entries; overlapping ones add up. */
export async function placesNamed(
  { question, words, dates, now, entryOf }: PlacesAsked,
  view: NativeView,
  tokenizer: Tokenizer,
): Promise<Place[]> {
  const isDate = (from: number, to: number) =>
    dates.some(({ word }) => words[word]!.start >= from && words[word]!.end <= to);
  // No list is spread: one that has a run an entry is too long for a call's arguments.
  const found: Place[][] = [];
  for (const time of await timesNamed(question, now, isDate)) found.push(placesOfTime(time, view));
  for (const event of eventsNamed(question)) {
    const entry = await entryOf(event.event);
    if (entry !== undefined) found.push(placesOfEvent(event, entry, view));
  }
  const ordinals = ordinalsNamed(question).slice(0, MOST_ORDINALS);
  if (ordinals.length > 0) found.push(placesOfOrdinals(ordinals, new Positions(view, tokenizer)));
  return found.flat();
}

/** What is told of an event is told soon after it, whatever side of it is asked for. */
function placesOfEvent({ side, said }: EventNamed, entry: number, view: NativeView): Place[] {
  const at = view.read(Uint32Array.of(entry)).at[0]!;
  return EVENT_WEIGHTS[side].flatMap(([before, after, weight]) => {
    const [from, to] = [at - before * MS_OF_DAY, at + after * MS_OF_DAY];
    return runs(numbersIn(view.select({ at: [from, to] }))).map(([first, end]) => ({
      ...{ from: first, to: end, weight, said },
    }));
  });
}

function placesOfTime({ from, to, said }: TimeNamed, view: NativeView): Place[] {
  const days = (to - from) / MS_OF_DAY;
  const weight = TIME_WEIGHTS.find(([most]) => days <= most)![1];
  return runs(numbersIn(view.select({ at: [from, to] }))).map(([first, end]) => ({
    from: first,
    to: end,
    weight,
    said,
  }));
}

function placesOfOrdinals(ordinals: readonly OrdinalNamed[], positions: Positions): Place[] {
  const sessions = ordinals.filter(({ unit }) => unit === "session");
  const found: Place[][] = [];
  const named: string[] = [];
  for (const { first, last, said } of sessions) {
    for (let rank = first; rank <= last && rank - first < FULL_WEIGHT_ENTRIES; rank++) {
      const session = rank === 0 ? undefined : positions.session(rank);
      if (session === undefined || named.includes(session)) continue;
      named.push(session);
      const weight = SESSION_WEIGHT;
      found.push(
        runs(positions.entries(session)).map(([from, to]) => ({ from, to, weight, said })),
      );
    }
  }
  for (const ordinal of ordinals) {
    if (ordinal.unit === "entry") found.push(placesOfEntries(ordinal, named, positions));
  }
  return found.flat();
}

/** Where several sessions are and none is named, numbers are those of the running one. */
function placesOfEntries(
  ordinal: OrdinalNamed,
  sessions: readonly string[],
  positions: Positions,
): Place[] {
  const running = positions.sessionCount > 1 ? [positions.session(-1)] : [undefined];
  return (sessions.length > 0 ? sessions : running).flatMap((session) => {
    const entries = positions.entries(session);
    const range = rangeOf(ordinal, entries, positions);
    if (range === undefined) return [];
    const size = Math.max(1, (range.to - range.from) / FULL_WEIGHT_ENTRIES);
    const around = [[0, NAMED_WEIGHT] as const, ...BESIDE];
    return around.flatMap(([distance, weight]) => {
      const from = Math.max(0, range.from - distance * range.width);
      const to = range.to + distance * range.width;
      return runs(entries.subarray(from, to)).map(([first, end]) => ({
        from: first,
        to: end,
        weight: weight / size,
        said: ordinal.said,
      }));
    });
  });
}

interface PlaceRange {
  readonly from: number;
  readonly to: number;
  /** How many entries one place has. */
  readonly width: number;
}

/** The entries that are meant, as a half-open range of places in `entries`. */
function rangeOf(
  { isName, first, last, said }: OrdinalNamed,
  entries: Uint32Array,
  positions: Positions,
): PlaceRange | undefined {
  const count = entries.length;
  if (isName) {
    const unit = /^\p{L}+?(?=s?(?:\P{L}|$))/u.exec(said.toLowerCase())?.[0] ?? "";
    const named = positions.named(entries, unit, first, last);
    if (named !== undefined) return { ...named, width: widthOf(named, first, last) };
    // Nobody says whether the first is number 0 or 1: both.
    const width = unit !== "message" && positions.isInPairs(entries) ? 2 : 1;
    const from = Math.max(0, first - 1) * width;
    return from >= count ? undefined : { from, to: Math.min(count, (last + 1) * width), width };
  }
  const from = first > 0 ? first - 1 : Math.max(0, count + first);
  const to = last > 0 ? Math.min(count, last) : count + last + 1;
  return from < to ? { from, to, width: 1 } : undefined;
}

function widthOf({ from, to }: { from: number; to: number }, first: number, last: number): number {
  return Math.max(1, Math.round((to - from) / (last - first + 1)));
}

/** Ascending numbers as half-open runs; those that do not ascend, each by itself. */
function runs(numbers: Uint32Array): [number, number][] {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === number) last[1]++;
    else found.push([number, number + 1]);
  }
  return found;
}
