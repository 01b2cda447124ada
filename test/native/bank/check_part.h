// Whether two parts say the same in every query, though they number codes and names differently.

#ifndef DENTATE_TEST_NATIVE_BANK_CHECK_PART_H_
#define DENTATE_TEST_NATIVE_BANK_CHECK_PART_H_

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bank/part.h"
#include "bank/part_builder.h"
#include "bank/sealed_part.h"
#include "plain_part.h"
#include "succinct/aligned_bytes.h"

namespace dentate::bank {

// The image at an address it can be used at.
inline std::shared_ptr<const SealedPart> OpenImage(const std::vector<std::uint8_t>& image) {
  auto bytes = std::make_shared<succinct::AlignedBytes>(image.size());
  std::copy(image.begin(), image.end(), reinterpret_cast<std::uint8_t*>(bytes->data()));
  std::shared_ptr<const SealedPart> part;
  const Status status = SealedPart::Open(
      {reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()}, bytes, part);
  REQUIRE_MESSAGE(status.ok(), status.message());
  const Status valid = part->Validate();
  REQUIRE_MESSAGE(valid.ok(), valid.message());
  return part;
}

inline void CheckRows(const PlainPart& plain, const Part& part) {
  REQUIRE(part.entry_count() == plain.entry_count());
  for (std::uint32_t e = 0; e < plain.entry_count(); ++e) {
    CAPTURE(e);
    const EntryRow expected = plain.Row(e);
    const EntryRow row = part.Row(e);
    CHECK((row.session == kNone) == (expected.session == kNone));
    CHECK((row.speaker == kNone) == (expected.speaker == kNone));
    CHECK(row.role == expected.role);
    CHECK(part.Session(e) == row.session);
    CHECK(part.Role(e) == row.role);
    CHECK(row.at == expected.at);
    CHECK(row.ingested == expected.ingested);
    if (row.session != kNone) {
      CHECK(part.SessionName(row.session) == plain.SessionName(expected.session));
    }
    if (row.speaker != kNone) {
      CHECK(part.SpeakerName(row.speaker) == plain.SpeakerName(expected.speaker));
    }
    std::vector<std::uint8_t> extras;
    part.AppendExtras(e, extras);
    CHECK(std::string(extras.begin(), extras.end()) == plain.entries()[e].extras);
    const Interval32 span = part.TokenSpan(e);
    std::vector<std::uint32_t> tokens(span.size());
    part.Tokens(span.begin, span.end, tokens.data());
    CHECK(tokens == plain.entries()[e].tokens);
    CHECK(part.RunBegin(e) == plain.RunBegin(e));
    CHECK(part.Previous(e) == plain.Previous(e));
    CHECK(part.Next(e, plain.entry_count()) == plain.Next(e, plain.entry_count()));
    CHECK(part.Next(e, e + 1) == kNone);
    if (expected.session == kNone) continue;
    std::vector<std::uint32_t> same, same_plain;
    part.FindFingerprint(PlainPart::FingerprintOf(plain.entries()[e]), same);
    plain.FindFingerprint(PlainPart::FingerprintOf(plain.entries()[e]), same_plain);
    CHECK(same == same_plain);
  }
}

// What a sealed part says of an entry's surroundings, against its own spans and links.
inline void CheckOutlines(const Part& part) {
  if (part.Outlines() == nullptr) return;
  const EntryOutline* const outlines = part.Outlines() + 1;
  const std::uint32_t size = part.entry_count();
  CHECK(outlines[-1].code_end == 0);
  for (std::uint32_t e = 0; e < size; ++e) {
    CAPTURE(e);
    const std::uint32_t begin = part.RunBegin(e);
    CHECK(outlines[e].code_end == part.CodeSpan(e).end);
    CHECK(outlines[e].before == std::min(e - begin, EntryOutline::kFar));
    if (part.Session(e) == kNone) continue;
    std::uint32_t last = e;
    while (last + 1 < size && part.RunBegin(last + 1) == begin) ++last;
    CHECK((outlines[e].earlier != 0) == (part.Previous(begin) != kNone));
    CHECK((outlines[e].later != 0) == (part.Next(last, size) != kNone));
  }
  for (std::uint32_t k = 0; k < EntryOutline::kFar; ++k) CHECK(outlines[size + k].before == 0);
}

inline void CheckNames(const PlainPart& plain, const Part& part) {
  REQUIRE(part.session_count() == plain.session_count());
  for (std::uint32_t s = 0; s < plain.session_count(); ++s) {
    CHECK(part.SessionName(s) == plain.SessionName(s));  // both as first used
    CHECK(part.FirstOfSession(s) == plain.FirstOfSession(s));
    for (std::uint32_t size = 0; size <= plain.entry_count(); ++size) {
      CHECK(part.LastOfSession(s, size) == plain.LastOfSession(s, size));
    }
  }
  REQUIRE(part.speaker_count() == plain.speaker_count());
  std::vector<std::uint32_t> speakers(plain.entry_count()), expected_speakers(plain.entry_count());
  part.Speakers(0, plain.entry_count(), speakers.data());
  plain.Speakers(0, plain.entry_count(), expected_speakers.data());
  CHECK(speakers == expected_speakers);  // both as first used
  for (std::uint32_t s = 0; s < plain.speaker_count(); ++s) {
    CHECK(part.SpeakerName(s) == plain.SpeakerName(s));
    REQUIRE(part.speaker_word_count(s) == plain.speaker_word_count(s));
    for (std::uint32_t word = 0; word < plain.speaker_word_count(s); ++word) {
      CHECK(part.SpeakerWordStem(s, word) == plain.SpeakerWordStem(s, word));
      std::vector<std::uint32_t> pieces, expected;
      part.SpeakerWordPieces(s, word, pieces);
      plain.SpeakerWordPieces(s, word, expected);
      CHECK(pieces == expected);
    }
  }
}

using WordKey = std::pair<std::uint64_t, std::vector<std::uint64_t>>;  // stem, signature

inline WordKey KeyOf(const Part& part, std::uint32_t code) {
  WordKey key{part.Stem(code), std::vector<std::uint64_t>(part.signature_words())};
  part.Signature(code, key.second.data());
  return key;
}

inline void CheckCodes(const PlainPart& plain, const Part& part) {
  std::map<WordKey, std::uint32_t> expected_codes;
  for (std::uint32_t code = 0; code < plain.code_count(); ++code) {
    if (plain.EntriesWith(code) > 0) expected_codes[KeyOf(plain, code)] = code;
  }
  REQUIRE(part.code_count() == expected_codes.size());
  std::vector<std::uint32_t> plain_code_of(part.code_count());
  for (std::uint32_t code = 0; code < part.code_count(); ++code) {
    CAPTURE(code);
    const auto at = expected_codes.find(KeyOf(part, code));
    REQUIRE(at != expected_codes.end());
    plain_code_of[code] = at->second;
    std::vector<std::uint32_t> pieces, expected;
    part.Pieces(code, pieces);
    plain.Pieces(at->second, expected);
    CHECK(pieces == expected);
    CHECK(part.EntriesWith(code) == plain.EntriesWith(at->second));
    for (const std::uint32_t size : {plain.entry_count(), plain.entry_count() / 2}) {
      std::vector<std::uint32_t> entries;
      std::vector<std::uint32_t> some(1 + code % 5);
      Part::Sweep sweep;
      for (;;) {
        const std::size_t count = part.EntriesOf(code, size, sweep, some);
        if (count == 0) break;
        entries.insert(entries.end(), some.begin(),
                       some.begin() + static_cast<std::ptrdiff_t>(count));
      }
      CHECK(std::is_sorted(entries.begin(), entries.end()));
      entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
      CHECK(entries == plain.AllEntriesOf(at->second, size));
    }
  }
  std::vector<std::uint32_t> all(part.code_count());
  std::iota(all.begin(), all.end(), 0U);
  std::uint64_t occurrences = 0;
  std::vector<std::uint32_t> in_all(all.size());
  for (std::uint32_t e = 0; e < plain.entry_count(); ++e) {
    CAPTURE(e);
    const Interval32 span = part.CodeSpan(e);
    const auto& words = plain.entries()[e].words;
    REQUIRE(span.size() == words.size());
    occurrences += span.size();
    std::vector<std::uint32_t> codes, tokens, counts(all.size());
    part.Codes(span.begin, span.end, codes, &tokens);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      CHECK(KeyOf(part, codes[i]) == words[i].second.Key());
      CHECK(tokens[i] == part.TokenSpan(e).begin + words[i].first);
    }
    if (codes.size() > 1) {  // from within
      std::vector<std::uint32_t> rest, rest_tokens;
      part.Codes(span.begin + 1, span.end, rest, &rest_tokens);
      CHECK(std::equal(rest.begin(), rest.end(), codes.begin() + 1, codes.end()));
      CHECK(std::equal(rest_tokens.begin(), rest_tokens.end(), tokens.begin() + 1, tokens.end()));
    }
    part.CountIn(all, span, counts.data());
    for (std::uint32_t code = 0; code < all.size(); ++code) {
      CHECK(counts[code] == std::count(codes.begin(), codes.end(), code));
    }
  }
  if (plain.entry_count() > 0) {
    const std::uint32_t end = part.CodeSpan(plain.entry_count() - 1).end;
    part.CountIn(all, {0, end}, in_all.data());
    CHECK(std::accumulate(in_all.begin(), in_all.end(), std::uint64_t{0}) == occurrences);
    for (const std::uint32_t code : all) CHECK(part.OccurrencesOf(code) == in_all[code]);
  }
}

inline void CheckBalls(const PlainPart& plain, const Part& part) {
  BallFinder finder;
  for (std::uint32_t code = 0; code < part.code_count(); code += 3) {
    CAPTURE(code);
    const WordKey query = KeyOf(part, code);
    for (const bool with_stem : {false, true}) {
      Ball ball, expected;
      const std::uint64_t* stem = with_stem ? &query.first : nullptr;
      part.FindBall(query.second, stem, 30, finder, ball);
      plain.FindBall(query.second, stem, 30, finder, expected);
      std::vector<std::pair<std::uint16_t, WordKey>> words, expected_words;
      for (std::size_t i = 0; i < ball.codes.size(); ++i) {
        words.emplace_back(ball.distances[i], KeyOf(part, ball.codes[i]));
        if (i == 0) continue;
        CHECK(std::pair(ball.distances[i - 1], ball.codes[i - 1]) <
              std::pair(ball.distances[i], ball.codes[i]));
      }
      for (std::size_t i = 0; i < expected.codes.size(); ++i) {
        if (plain.EntriesWith(expected.codes[i]) == 0) continue;  // of a gap
        expected_words.emplace_back(expected.distances[i], KeyOf(plain, expected.codes[i]));
      }
      std::sort(words.begin(), words.end());
      std::sort(expected_words.begin(), expected_words.end());
      CHECK(words == expected_words);
    }
  }
}

inline void CheckSame(const PlainPart& plain, const Part& part) {
  CHECK(part.signature_words() == plain.signature_words());
  CheckRows(plain, part);
  CheckOutlines(part);
  CheckNames(plain, part);
  CheckCodes(plain, part);
  CheckBalls(plain, part);
}

}  // namespace dentate::bank

#endif  // DENTATE_TEST_NATIVE_BANK_CHECK_PART_H_
