// Porter's stemmer for English: "connections" and "connected" are both "connect".
//
// It strips suffixes in five steps, each on conditions about what is left. A word is read as
//
//   [C](VC){m}[V]      C: a run of consonants, V: a run of vowels, m: the measure
//
// where y is a vowel after a consonant, and a consonant at the beginning of the word. What a y is
// inside of a run has two readings; a condition holds if it does in one of them.
//
// Exactly the stems of the npm package `stemmer`, which TypeScript uses (src/text/stem.ts), since
// stems lie in stores: the tests compare them. It departs from the paper in two places: words of
// one and two letters stay as they are, and step 2 has "bli" and "logi", as Porter's own later
// versions do.
//
// Cost: about 50 ns a word.
//
// Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980.

#ifndef DENTATE_TEXT_PORTER_STEM_H_
#define DENTATE_TEXT_PORTER_STEM_H_

#include <cstddef>

namespace dentate::text {

// Turns the word into its stem, in place, and returns the stem's length, which is not greater.
// REQUIRES: the letters a to z.
std::size_t PorterStem(char* word, std::size_t length) noexcept;

}  // namespace dentate::text

#endif  // DENTATE_TEXT_PORTER_STEM_H_
