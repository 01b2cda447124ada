#include "text/porter_stem.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace dentate::text {
namespace {

// A y at the beginning, which is no vowel, is this one meanwhile.
constexpr char kFirstY = 'Y';

bool IsAeiou(char c) noexcept { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }
bool IsAeiouy(char c) noexcept { return IsAeiou(c) || c == 'y'; }

// What is known of [C](VC){m}[V], read from the left. A set of the places where a reading may be:
//
//   start ─► C ─► V ─► C ─► V ─► C
//       └────────►
//
// A letter of aeiou stays in or begins a V, another consonant a C, a y begins a V or a C.
struct Measure {
  bool has_vowel = false;   // [C]V is at the beginning
  bool at_least_1 = false;  // m > 0
  bool is_1 = false;        // m = 1
  bool at_least_2 = false;  // m > 1
};

Measure MeasureOf(std::string_view stem) noexcept {
  enum : std::uint8_t { kStart = 1, kC0 = 2, kV1 = 4, kC1 = 8, kV2 = 16, kC2 = 32 };
  Measure measure;
  unsigned at = kStart;
  for (const char c : stem) {
    unsigned next = 0;
    if (!IsAeiou(c)) {  // begins a C
      if ((at & kStart) != 0) next |= kC0;
      if ((at & kV1) != 0) next |= kC1;
      if ((at & kV2) != 0) next |= kC2;
      if (c != 'y') next |= at & (kC0 | kC1 | kC2);
    } else {
      next |= at & (kV1 | kV2);
    }
    if (IsAeiouy(c)) {  // begins a V
      if ((at & (kStart | kC0)) != 0) next |= kV1;
      if ((at & kC1) != 0) next |= kV2;
    }
    measure.has_vowel |= (next & kV1) != 0;
    measure.at_least_1 |= (next & kC1) != 0;
    measure.at_least_2 |= (next & kC2) != 0;
    at = next;
  }
  measure.is_1 = (at & (kC1 | kV2)) != 0;
  return measure;
}

// C, one vowel and one consonant other than w, x and y: "hop".
bool IsShort(std::string_view stem) noexcept {
  const std::size_t length = stem.size();
  if (length < 3 || IsAeiou(stem[0])) return false;
  const char last = stem[length - 1];
  if (IsAeiouy(last) || last == 'w' || last == 'x' || !IsAeiouy(stem[length - 2])) return false;
  return std::none_of(stem.begin() + 1, stem.end() - 2, IsAeiouy);
}

struct Rule {
  std::string_view suffix, by;
};

constexpr Rule kStep2[] = {
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
    {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
    {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
    {"logi", "log"},
};
constexpr Rule kStep3[] = {
    {"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
    {"ical", "ic"},  {"ful", ""},   {"ness", ""},
};
constexpr Rule kStep4[] = {
    {"al", ""},   {"ance", ""}, {"ence", ""},  {"er", ""},   {"ic", ""},  {"able", ""},
    {"ible", ""}, {"ant", ""},  {"ement", ""}, {"ment", ""}, {"ent", ""}, {"ou", ""},
    {"ism", ""},  {"ate", ""},  {"iti", ""},   {"ous", ""},  {"ive", ""}, {"ize", ""},
};

class Word {
 public:
  Word(char* letters, std::size_t length) noexcept : letters_(letters), length_(length) {}

  std::size_t length() const noexcept { return length_; }

  void Step1a() noexcept {
    if (EndsWith("sses", 1) || EndsWith("ies", 1)) {
      length_ -= 2;
    } else if (length_ >= 3 && Last(0) == 's' && Last(1) != 's') {
      length_ -= 1;
    }
  }

  void Step1b() noexcept {
    if (EndsWith("eed", 1)) {
      if (MeasureOf(Without(3)).at_least_1) length_ -= 1;
      return;
    }
    const std::size_t suffix = EndsWith("ed", 1) ? 2 : EndsWith("ing", 1) ? 3 : 0;
    if (suffix == 0 || !MeasureOf(Without(suffix)).has_vowel) return;
    length_ -= suffix;
    const bool wants_e = EndsWith("at", 0) || EndsWith("bl", 0) || EndsWith("iz", 0);
    const bool is_doubled = length_ >= 2 && Last(0) == Last(1) && !IsAeiouy(Last(0)) &&
                            Last(0) != 'l' && Last(0) != 's' && Last(0) != 'z';
    if (is_doubled && !wants_e) {
      length_ -= 1;
    } else if (wants_e || IsShort(Without(0))) {
      letters_[length_++] = 'e';
    }
  }

  void Step1c() noexcept {
    if (EndsWith("y", 1) && MeasureOf(Without(1)).has_vowel) letters_[length_ - 1] = 'i';
  }

  void Steps2And3() noexcept {
    Replace(kStep2);
    Replace(kStep3);
  }

  void Step4() noexcept {
    if (const Rule* rule = LongestSuffix(kStep4)) {
      if (MeasureOf(Without(rule->suffix.size())).at_least_2) length_ -= rule->suffix.size();
    } else if (EndsWith("sion", 1) || EndsWith("tion", 1)) {
      if (MeasureOf(Without(3)).at_least_2) length_ -= 3;
    }
  }

  void Step5() noexcept {
    if (EndsWith("e", 1)) {
      const std::string_view stem = Without(1);
      const Measure measure = MeasureOf(stem);
      if (measure.at_least_2 || (measure.is_1 && !IsShort(stem))) length_ -= 1;
    }
    if (EndsWith("ll", 0) && MeasureOf(Without(0)).at_least_2) length_ -= 1;
  }

 private:
  char Last(std::size_t i) const noexcept { return letters_[length_ - 1 - i]; }
  std::string_view Without(std::size_t suffix) const noexcept {
    return {letters_, length_ - suffix};
  }
  // With at least `before` letters before the suffix.
  bool EndsWith(std::string_view suffix, std::size_t before) const noexcept {
    return length_ >= suffix.size() + before && Without(0).ends_with(suffix);
  }

  template <std::size_t kCount>
  const Rule* LongestSuffix(const Rule (&rules)[kCount]) const noexcept {
    const Rule* longest = nullptr;
    for (const Rule& rule : rules) {
      if (rule.suffix.back() == Last(0) && EndsWith(rule.suffix, 1) &&
          (longest == nullptr || rule.suffix.size() > longest->suffix.size())) {
        longest = &rule;
      }
    }
    return longest;
  }

  template <std::size_t kCount>
  void Replace(const Rule (&rules)[kCount]) noexcept {
    const Rule* rule = LongestSuffix(rules);
    if (rule == nullptr || !MeasureOf(Without(rule->suffix.size())).at_least_1) return;
    length_ -= rule->suffix.size();
    length_ = static_cast<std::size_t>(
        std::copy(rule->by.begin(), rule->by.end(), letters_ + length_) - letters_);
  }

  char* letters_;
  std::size_t length_;
};

}  // namespace

std::size_t PorterStem(char* word, std::size_t length) noexcept {
  if (length < 3) return length;
  const bool begins_with_y = word[0] == 'y';
  if (begins_with_y) word[0] = kFirstY;
  Word stem(word, length);
  stem.Step1a();
  stem.Step1b();
  stem.Step1c();
  stem.Steps2And3();
  stem.Step4();
  stem.Step5();
  if (begins_with_y) word[0] = 'y';
  return stem.length();
}

}  // namespace dentate::text
