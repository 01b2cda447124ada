/**
 * Plain text: ASCII, and of the rest some characters that only ever separate words. Its words are
 * cut in native code, which has the same list (native/text/plain_words.cc).
 */
const PLAIN = /^[\0-\x7f\xa0\xa3\xab\xb0\xb7\xbb\xd7\u2010-\u2027\u20ac\u2192\u2212]*$/;

export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}
