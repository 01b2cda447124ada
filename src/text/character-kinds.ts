/**
 * What a character is to the word scanner of {@link ./words.js}.
 *
 * Kinds of the 65,536 code units are kept in one table that is filled as characters are met: the
 * Unicode properties are asked of a regular expression once a character, and after that a
 * character costs one byte read. Characters beyond the basic plane (a surrogate pair) are asked
 * each time, through a small map.
 */
export const SEPARATOR = 1;
/** A letter that is not a capital; also one of a script without capitals. */
export const LOWER = 2;
export const UPPER = 3;
export const DIGIT = 4;
/** Continues a word and never starts one: accents, vowel signs, joiners. */
export const MARK = 5;
export const UNDERSCORE = 6;
/** A letter of a script that writes no spaces between words. */
export const UNSPACED = 7;
export const EMOJI = 8;
/** First half of a surrogate pair: ask {@link pairKind}. */
export const PAIR = 9;

const LETTER = /[\p{L}\p{N}]/u;
const CAPITAL = /[\p{Lu}\p{Lt}]/u;
const NUMBER = /\p{N}/u;
const JOINING = /[\p{M}\u200c\u200d]/u;
const PICTOGRAPH = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const WITHOUT_SPACES =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tai_Le}\p{scx=New_Tai_Lue}\p{scx=Tai_Tham}\p{scx=Tai_Viet}]/u;

const kinds = new Uint8Array(65536); // 0: not asked yet
const pairs = new Map<number, number>();
const MAX_PAIRS = 4096;

/** The kind of the UTF-16 code unit `code`. A lone second half is a separator. */
export function kindOf(code: number): number {
  const known = kinds[code]!;
  if (known !== 0) return known;
  const kind = code >= 0xd800 && code <= 0xdbff ? PAIR : ask(String.fromCharCode(code));
  kinds[code] = kind;
  return kind;
}

/** The kind of a character beyond the basic plane. */
export function pairKind(codePoint: number): number {
  let kind = pairs.get(codePoint);
  if (kind === undefined) {
    kind = ask(String.fromCodePoint(codePoint));
    if (pairs.size >= MAX_PAIRS) pairs.clear();
    pairs.set(codePoint, kind);
  }
  return kind;
}

function ask(character: string): number {
  if (character === "_") return UNDERSCORE;
  if (PICTOGRAPH.test(character)) return EMOJI;
  if (LETTER.test(character) && WITHOUT_SPACES.test(character)) return UNSPACED;
  if (JOINING.test(character)) return MARK;
  if (!LETTER.test(character)) return SEPARATOR;
  if (NUMBER.test(character)) return DIGIT;
  return CAPITAL.test(character) ? UPPER : LOWER;
}
