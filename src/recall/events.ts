import { stretchesOf } from "./time-words.js";

/**
 * Events by which a question says when: "before the move", "after her accident", "during the party",
 * "seit dem Umzug". When an event was, only the memory may know: places.ts takes the time of the entry
 * that holds the words best.
 */
export interface EventNamed {
  readonly side: "before" | "after" | "during";
  /** What to look for. */
  readonly event: string;
  readonly said: string;
}

const SIDES: readonly (readonly [side: EventNamed["side"], words: string])[] = [
  [
    "before",
    "before|until|till|prior to|leading up to|vor|bis zum|bis zur|avant|antes de|antes del|prima di|prima del|voor|до|перед",
  ],
  [
    "after",
    "after|since|following|nach|seit|après|depuis|después de|después del|depois de|depois do|dopo|sinds|после",
  ],
  ["during", "during|while on|while at|während|pendant|durante|tijdens|во время"],
];
/** What an event begins with: so that "before she" and "since then" are none. */
const DETERMINER =
  "the|her|his|my|our|their|your|its|a|an|that|this|\\p{L}+['’]s|dem|der|den|die|das|meinem|meiner|ihrem|ihrer|" +
  "seinem|seiner|unserem|unserer|le|la|les|son|sa|mon|ma|notre|leur|el|mi|su|nuestr[ao]|o|os|as|minha|meu|il|lo|mia|mio|het|de|mijn";
/** What ends an event's name. */
const END =
  "[^\\p{L}\\p{N}'’-]*(?:[,.?!;:)]|$|\\s(?:and|or|but|that|which|who|what|when|where|why|how|did|does|do|was|were|is|are|has|had|to|und|oder|et|y|e|en)\\s)";
const WORD = "[\\p{L}\\p{N}'’-]+";
const EVENTS = SIDES.map(([side, words]) => {
  const name = `(?:(?:${DETERMINER})\\s+${WORD}|l['’]${WORD}|\\p{L}{3,}ing)(?:\\s+${WORD}){0,5}?`;
  const pattern = new RegExp(`(?:${words})\\s+(${name})(?=${END})`, "iuy");
  return [side, pattern] as const;
});
/** The first words of all of them: to look for these is cheaper than for the rest. */
const FIRST_WORDS = new Set(
  SIDES.flatMap(([, words]) => words.split("|").map((word) => word.split(" ")[0]!)),
);
/** What is looked at of a question, and for. */
const LONGEST = 2000;
const MOST_EVENTS = 2;

export function eventsNamed(question: string): EventNamed[] {
  const text = question.slice(0, LONGEST);
  const named: EventNamed[] = [];
  for (const { 0: word, index } of text.matchAll(/\p{L}+/gu)) {
    if (!FIRST_WORDS.has(word.toLowerCase())) continue;
    for (const [side, pattern] of EVENTS) {
      pattern.lastIndex = index;
      const [said, event = ""] = pattern.exec(text) ?? [];
      // "Before the weekend" is a time.
      if (said === undefined || stretchesOf(event).length > 0) continue;
      named.push({ side, event, said });
      if (named.length === MOST_EVENTS) return named;
      break;
    }
  }
  return named;
}
