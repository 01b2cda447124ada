import { stemmer } from "stemmer";

/**
 * Folding and stemming of one word.
 *
 * Folding: lower case, compatibility forms and accents removed ("Café" is "cafe", full-width "ＡＢ"
 * is "ab"), Arabic and Hebrew points removed, joiners removed. Vowel signs of Indic scripts are
 * part of the word and stay; Hangul stays composed.
 *
 * Stemming: Porter's algorithm for English, on words that fold to ASCII letters. "7th" stems to
 * "7". Every other word is its own stem.
 *
 * Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
 */
const REMOVED =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each mark is meant by itself
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f\u20d0-\u20ff\ufe00-\ufe0f]/g;
const BEYOND_ASCII = /[^\0-\x7f]/;
const ENGLISH = /^[a-z]+$/;
const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;

/** The form of a word in which two spellings of it compare equal. */
export function fold(surface: string): string {
  const lower = surface.toLowerCase();
  if (!BEYOND_ASCII.test(lower)) return lower;
  return lower
    .normalize("NFKD")
    .replace(REMOVED, "")
    .replaceAll("ß", "ss")
    .replaceAll("ς", "σ")
    .toLowerCase() // compatibility forms decompose to capitals: "™" is "TM"
    .normalize("NFC");
}

/** The stem of a folded word. */
export function stem(folded: string): string {
  if (ENGLISH.test(folded)) return stemmer(folded);
  return ORDINAL.exec(folded)?.[1] ?? folded;
}
