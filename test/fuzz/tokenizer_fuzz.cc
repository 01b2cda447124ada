// Any bytes, and any UTF-16 units: nothing crashes, the tokens are those of the plain algorithm,
// and they come back as what went in.
//
// The vocabulary is a small one learnt from a line of text, so that a fuzzer reaches merges soon;
// with DENTATE_RANK_FILE it is that file's.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "../native/text/test_vocabulary.h"
#include "text/byte_pair_encoder.h"
#include "text/token_decoder.h"
#include "text/utf8.h"

namespace {

using namespace dentate::text;

void Require(bool holds) {
  if (!holds) std::abort();
}

struct Subject {
  Ranks ranks;  // empty with a rank file
  std::shared_ptr<const Vocabulary> vocabulary;

  Subject() {
    std::string file;
    if (const char* path = std::getenv("DENTATE_RANK_FILE"); path != nullptr) {
      std::stringstream content;
      content << std::ifstream(path, std::ios::binary).rdbuf();
      file = content.str();
    } else {
      const auto tokens = LearnTokens(kTrainingText, 150);
      ranks = RanksOf(tokens);
      file = ToRankFile(tokens);
    }
    Require(Vocabulary::Parse(file, &vocabulary).ok());
  }
};

void CheckText(const Subject& subject, std::string_view text) {
  static BytePairEncoder encoder(subject.vocabulary);
  static TokenDecoder decoder(subject.vocabulary);
  std::vector<std::uint32_t> ids;
  encoder.Append(text, ids);
  Require(decoder.FirstUnknown(ids) == ids.size());
  Require(decoder.Decode(ids) == text);
  std::vector<std::uint32_t> ends;
  decoder.AppendUtf16Ends(ids, ends);
  Require((ends.empty() ? 0 : ends.back()) == Utf16UnitsBegun(text));
  if (subject.ranks.empty()) return;
  Require(ids == NaiveEncode(subject.ranks, text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Subject subject;
  // Copies without a spare byte, so that a read past the end is seen.
  const std::vector<char> bytes(data, data + size);
  CheckText(subject, {bytes.data(), bytes.size()});

  std::vector<char16_t> units(size / 2);
  if (!units.empty()) std::memcpy(units.data(), data, units.size() * 2);
  std::vector<char> utf8(units.size() * kMaxBytesPerUtf16Unit);
  const std::size_t length = ToUtf8({units.data(), units.size()}, utf8.data());
  utf8.resize(length);
  utf8.shrink_to_fit();
  Require(Utf16UnitsBegun({utf8.data(), length}) ==
          units.size());  // U+FFFD is one unit, as was the surrogate
  CheckText(subject, {utf8.data(), length});

  std::shared_ptr<const Vocabulary> parsed;
  (void)Vocabulary::Parse({bytes.data(), bytes.size()}, &parsed).ok();
  return 0;
}
