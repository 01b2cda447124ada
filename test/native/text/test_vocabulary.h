// A small vocabulary for tests, learnt from text by plain byte-pair merging, and the plain encoder
// that ours is compared with.

#ifndef DENTATE_TEST_TEXT_TEST_VOCABULARY_H_
#define DENTATE_TEST_TEXT_TEST_VOCABULARY_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/piece_splitter.h"
#include "text/vocabulary.h"

namespace dentate::text {

inline std::string ToBase64(std::string_view bytes) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out.push_back(i + k > bytes.size() ? '=' : kAlphabet[bits >> (18 - 6 * k) & 63]);
    }
  }
  return out;
}

inline std::string ToRankFile(const std::vector<std::string>& tokens) {
  std::string file;
  for (std::size_t rank = 0; rank < tokens.size(); ++rank) {
    file += ToBase64(tokens[rank]) + ' ' + std::to_string(rank) + '\n';
  }
  return file;
}

// All single bytes, then the most frequent adjacent pair again and again.
inline std::vector<std::string> LearnTokens(std::string_view text, std::size_t merges) {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  std::vector<std::string> parts;
  for (const char byte : text) parts.emplace_back(1, byte);
  for (std::size_t merge = 0; merge < merges; ++merge) {
    std::map<std::string, std::size_t> counts;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) ++counts[parts[i] + parts[i + 1]];
    std::string best;
    for (const auto& [pair, count] : counts) {
      const bool known = std::find(tokens.begin(), tokens.end(), pair) != tokens.end();
      if (!known && (best.empty() || count > counts[best])) best = pair;
    }
    if (best.empty()) break;
    tokens.push_back(best);
    std::vector<std::string> merged;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool pair = i + 1 < parts.size() && parts[i] + parts[i + 1] == best;
      merged.push_back(pair ? best : parts[i]);
      if (pair) ++i;
    }
    parts = merged;
  }
  return tokens;
}

using Ranks = std::map<std::string, std::uint32_t>;

inline Ranks RanksOf(const std::vector<std::string>& tokens) {
  Ranks ranks;
  for (std::uint32_t rank = 0; rank < tokens.size(); ++rank) ranks[tokens[rank]] = rank;
  return ranks;
}

// Byte-pair encoding of one piece as it is defined: merge the leftmost lowest, look again.
inline std::vector<std::uint32_t> NaiveMerge(const Ranks& ranks, std::string_view piece) {
  std::vector<std::string> parts;
  if (ranks.count(std::string(piece)) != 0) {
    parts.emplace_back(piece);
  } else {
    for (const char byte : piece) parts.emplace_back(1, byte);
  }
  for (;;) {
    std::size_t lowest = parts.size();
    std::uint32_t lowest_rank = Vocabulary::kNone;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks.find(parts[i] + parts[i + 1]);
      if (found != ranks.end() && found->second < lowest_rank) {
        lowest = i;
        lowest_rank = found->second;
      }
    }
    if (lowest == parts.size()) break;
    parts[lowest] += parts[lowest + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(lowest) + 1);
  }
  std::vector<std::uint32_t> ids;
  for (const auto& part : parts) ids.push_back(ranks.at(part));
  return ids;
}

inline constexpr std::string_view kTrainingText =
    "The cat sat on the mat. The cats that sat there ate what the other cats had at the start; "
    "banana bandana aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
    "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80\xf0\x9f\x98\x81 abababab";

// The pieces of the text, each merged by the plain algorithm.
inline std::vector<std::uint32_t> NaiveEncode(const Ranks& ranks, std::string_view text) {
  const PieceSplitter splitter;
  std::vector<std::uint32_t> ids;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const char* const piece_end = splitter.PieceEnd(at, end);
    const auto merged = NaiveMerge(ranks, {at, static_cast<std::size_t>(piece_end - at)});
    ids.insert(ids.end(), merged.begin(), merged.end());
    at = piece_end;
  }
  return ids;
}

}  // namespace dentate::text

#endif  // DENTATE_TEST_TEXT_TEST_VOCABULARY_H_
