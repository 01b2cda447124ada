import type { Chrono, ParsedComponents, ParsedResult } from "chrono-node";
import {
  hasTimeWord,
  type Locale,
  numeral,
  RELATIVE,
  stretchesOf,
  type TimeUnit,
} from "./time-words.js";

/**
 * Times that a question names, resolved against the moment at which it is asked: "last week", "two days
 * ago", "yesterday morning", "on Monday", "between 3 and 9 March", "since Easter Monday" not, since
 * nobody here knows feasts. All in UTC, as what is stored.
 *
 * A question is about what was: a weekday or a month without a year is the last one. Named years, months
 * and days of English and ISO dates are matched as words (text/dates.ts), in any year if none is named;
 * here they count only as the ends of a range.
 *
 * Cost: a few microseconds where no word speaks of time, else some tens for each language whose words do;
 * the first such question of a process loads the library: tens of milliseconds.
 */
export interface TimeNamed {
  /** Unix milliseconds, half-open; either may be infinite. */
  readonly from: number;
  readonly to: number;
  readonly said: string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Around an hour that is named: memories of hours are not exact. */
const ABOUT_AN_HOUR = 3 * HOUR;
/** Nothing that is asked in earnest is longer, and reading it would take long. */
const LONGEST = 2000;

/**
 * @param isDate Whether a word that begins there names a date that is matched as a word.
 */
export async function timesNamed(
  question: string,
  now: number,
  isDate: (from: number, to: number) => boolean,
): Promise<TimeNamed[]> {
  const text = question.slice(0, LONGEST);
  const found: Found[] = [];
  for (const stretch of stretchesOf(text)) {
    const { locale, start: offset } = stretch;
    const part = text.slice(offset, stretch.end);
    found.push(...relativeTimes(part, offset, locale, now));
    const chrono = await chronoOf(locale);
    for (const result of chrono.parse(part, { instant: new Date(now), timezone: 0 })) {
      // Abbreviations are words of other languages: "do" is a Thursday in Dutch.
      if (!hasTimeWord(result.text, locale) || OF_SOMETHING.test(result.text)) continue;
      const window = windowOf(result, now);
      if (window === undefined || (window.from > now && !COMING.test(result.text))) continue;
      const start = offset + result.index;
      const end = start + result.text.length;
      const isAbsolute = !isRelative(result) && isDate(start, end);
      if (!isAbsolute && locale === "en" && isOnlyMonth(result)) continue;
      found.push({ ...window, start, end, isAbsolute });
    }
  }
  // Farther back than there are dates: not a number.
  return asAsked(text, withoutOverlaps(found), now).filter(({ from, to }) => from < to);
}

/** "Two days before the move": what it is before, the library does not know, and takes it for now. */
const OF_SOMETHING = /\b(?:before|after|earlier|later)$/iu;

interface Window {
  readonly from: number;
  readonly to: number;
}

interface Found extends Window {
  /** UTF-16 units of the question. */
  readonly start: number;
  readonly end: number;
  /** Matched as words already. */
  readonly isAbsolute: boolean;
}

const loaded = new Map<Locale, Promise<Chrono>>();

function chronoOf(locale: Locale): Promise<Chrono> {
  let chrono = loaded.get(locale);
  if (chrono === undefined) {
    chrono = load(locale);
    loaded.set(locale, chrono);
  }
  return chrono;
}

async function load(locale: Locale): Promise<Chrono> {
  if (locale === "zh") return (await import("chrono-node/zh")).hans.casual;
  const { casual } = await LOADERS[locale]();
  return casual;
}

const LOADERS: Readonly<Record<Exclude<Locale, "zh">, () => Promise<{ casual: Chrono }>>> = {
  en: () => import("chrono-node/en"),
  de: () => import("chrono-node/de"),
  fr: () => import("chrono-node/fr"),
  es: () => import("chrono-node/es"),
  pt: () => import("chrono-node/pt"),
  it: () => import("chrono-node/it"),
  nl: () => import("chrono-node/nl"),
  ru: () => import("chrono-node/ru"),
  uk: () => import("chrono-node/uk"),
  ja: () => import("chrono-node/ja"),
};

function isRelative(result: ParsedResult): boolean {
  return [...result.tags()].some((tag) => /relative|casual/iu.test(tag));
}

/** "May", "march": also other words, unless text/dates.ts takes them for months. */
function isOnlyMonth({ start }: ParsedResult): boolean {
  return start.isCertain("month") && !start.isCertain("day") && !start.isCertain("year");
}

function windowOf(result: ParsedResult, now: number): Window | undefined {
  const first = partOf(result.start, result.text, now);
  if (first === undefined) return undefined;
  if (result.end === null || result.end === undefined) {
    // "the last 3 days": up to now.
    return UP_TO_NOW.test(result.text) ? { from: first.from, to: now } : first;
  }
  const last = partOf(result.end, result.text, now);
  return last === undefined || last.to < first.from ? first : { from: first.from, to: last.to };
}

const UP_TO_NOW =
  /\b(?:last|past)\s+(?:\d+|\p{L}+)\s+\p{L}+s\b|\b(?:letzten|dernier\p{L}+|ultimi|afgelopen)\s+\d+/iu;
const WEEK = /week(?!end)|woche(?!n?ende)|semaine|settimana|недел|тиж/iu;
const WEEKEND = /weekend|wochenende/iu;
const COMING =
  /next|coming|upcoming|nächste|kommende|prochain|próxim|prossim|volgende|следующ|наступн|下|来/iu;

/** The stretch of time that is as long as what was said is precise. */
function partOf(part: ParsedComponents, said: string, now: number): Window | undefined {
  const date = part.date().getTime();
  if (part.isCertain("hour") && (part.isCertain("day") || part.isCertain("weekday"))) {
    return { from: date - ABOUT_AN_HOUR, to: date + ABOUT_AN_HOUR };
  }
  const day = Math.floor(date / DAY) * DAY;
  const isComing = COMING.test(said);
  if (WEEKEND.test(said)) {
    const saturday = monday(day) + 5 * DAY;
    const past = saturday > now && !isComing ? saturday - 7 * DAY : saturday;
    return { from: past, to: past + 2 * DAY };
  }
  if (WEEK.test(said)) {
    // "This week" is the day on which it began, wherever the library has it begin.
    return unitAt("week", Math.abs(now - date) < 7 * DAY ? now : date);
  }
  if (part.isCertain("day")) return dayOf(part, day, now);
  if (part.isCertain("weekday")) {
    const past = day > now && !isComing ? day - 7 * DAY : day;
    return { from: past, to: past + DAY };
  }
  const year = part.get("year") ?? new Date(now).getUTCFullYear();
  if (part.isCertain("month")) {
    const month = (part.get("month") ?? 1) - 1;
    const isAhead = !part.isCertain("year") && Date.UTC(year, month) > now && !isComing;
    return unitAt("month", Date.UTC(isAhead ? year - 1 : year, month));
  }
  if (part.isCertain("year")) return unitAt("year", Date.UTC(year, 0));
  // A time of day: today's, as in "this morning", if it says so. "12 to 20" and "morning" say no day.
  const saysDay = /\p{L}\s\p{L}/u.test(said) && !/\d/u.test(said) && !part.isCertain("hour");
  return saysDay ? { from: day, to: day + DAY } : undefined;
}

function dayOf(part: ParsedComponents, day: number, now: number): Window {
  if (part.isCertain("year") || day <= now) return { from: day, to: day + DAY };
  const date = new Date(day);
  const past = date.setUTCFullYear(date.getUTCFullYear() - 1);
  return { from: past, to: past + DAY };
}

function relativeTimes(text: string, offset: number, locale: Locale, now: number): Found[] {
  return (RELATIVE[locale] ?? []).flatMap(({ pattern, unit, count }) =>
    [...text.matchAll(pattern)].map((match) => {
      const back = count ?? numeral(match[1]!);
      const window =
        back === 0 ? { from: now - 30 * DAY, to: now } : unitAt(unit, before(now, back, unit));
      return {
        ...window,
        start: offset + match.index,
        end: offset + match.index + match[0].length,
        isAbsolute: false,
      };
    }),
  );
}

function before(now: number, count: number, unit: TimeUnit): number {
  if (unit === "day") return now - count * DAY;
  if (unit === "week") return now - count * 7 * DAY;
  const date = new Date(now);
  const months =
    date.getUTCFullYear() * 12 + date.getUTCMonth() - count * (unit === "year" ? 12 : 1);
  return Date.UTC(Math.floor(months / 12), ((months % 12) + 12) % 12);
}

/** The day, week from Monday, month or year that a moment lies in. */
function unitAt(unit: TimeUnit, at: number): Window {
  const day = Math.floor(at / DAY) * DAY;
  if (unit === "day") return { from: day, to: day + DAY };
  if (unit === "week") return { from: monday(day), to: monday(day) + 7 * DAY };
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === "month") return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
  return { from: Date.UTC(year, 0), to: Date.UTC(year + 1, 0) };
}

/** The Monday on or before a day. */
function monday(day: number): number {
  return day - ((Math.floor(day / DAY) + 3) % 7) * DAY;
}

/** Of those that overlap in the question the longer one, in the order of the question. */
function withoutOverlaps(found: readonly Found[]): Found[] {
  const kept: Found[] = [];
  const bySize = [...found].sort((a, b) => b.end - b.start - (a.end - a.start));
  for (const one of bySize) {
    if (kept.every(({ start, end }) => end <= one.start || start >= one.end)) kept.push(one);
  }
  return kept.sort((a, b) => a.start - b.start);
}

const RANGE =
  /^\s*(?:and|to|until|till|through|und|bis|et|au|à|y|al|hasta|e|a|até|en|tot|и|до|по|–|—|-|〜|から|到|至)\s*(?:the\s+|le\s+|el\s+|den\s+|dem\s+)?$/iu;
const SINCE =
  /(?:since|after|seit|nach|depuis|après|desde|después de|depois de|dopo|sinds|с|после|від|після)\s*(?:the\s+)?$/iu;
const UNTIL =
  /(?:before|until|till|vor|bis|avant|antes de|antes del|hasta|até|prima di|voor|tot|до|перед)\s*(?:the\s+)?$/iu;

const BEFORE =
  /^,?\s*(?:before|prior to|vor|avant|antes del?|prima (?:di|del)|voor|до|перед)\s*(?:the\s+|le\s+|el\s+|il\s+|dem\s+)?$/iu;

/** Joins what are the two ends of one range, and looks at what stands before: since, before. */
function asAsked(text: string, found: readonly Found[], now: number): TimeNamed[] {
  const named: TimeNamed[] = [];
  for (let i = 0; i < found.length; i++) {
    const { from, to, start, end, isAbsolute } = found[i]!;
    const next = found[i + 1];
    if (next !== undefined && from < next.to && RANGE.test(text.slice(end, next.start))) {
      named.push({ from, to: next.to, said: text.slice(start, next.end) });
      i++;
      continue;
    }
    if (next !== undefined && to - from <= 2 * DAY && BEFORE.test(text.slice(end, next.start))) {
      // "On the Sunday before October 25".
      const shift = Math.floor((next.from - 1 - from) / (7 * DAY)) * 7 * DAY;
      named.push({ from: from + shift, to: to + shift, said: text.slice(start, next.end) });
      i++;
      continue;
    }
    const said = text.slice(start, end);
    const lead = text.slice(Math.max(0, start - 16), start);
    const [since] = SINCE.exec(lead) ?? [];
    const [until] = UNTIL.exec(lead) ?? [];
    if (since !== undefined) named.push({ from, to: Math.max(now, to), said: since + said });
    else if (until !== undefined) {
      named.push({ from: Number.NEGATIVE_INFINITY, to: from, said: until + said });
    } else if (!isAbsolute) named.push({ from, to, said });
  }
  return named;
}
