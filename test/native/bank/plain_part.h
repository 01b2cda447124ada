// A part as a list of entries, each query answered by walking them: the naive model of Part.

#ifndef DENTATE_TEST_NATIVE_BANK_PLAIN_PART_H_
#define DENTATE_TEST_NATIVE_BANK_PLAIN_PART_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bank/content_hash.h"
#include "bank/part.h"

namespace dentate::bank {

struct PlainWord {
  std::vector<std::uint64_t> signature;
  std::uint64_t stem = 0;
  std::vector<std::uint32_t> pieces;

  auto Key() const { return std::pair(stem, signature); }
};

struct PlainEntry {
  bool erased = false;
  std::string session;
  std::string speaker;  // empty: none
  std::uint8_t role = 0;
  std::int64_t at = 0;
  std::int64_t ingested = 0;
  std::string extras;
  std::vector<std::uint32_t> tokens;
  std::vector<std::pair<std::uint32_t, PlainWord>> words;  // token index, word
};

// The words of a speaker's name, made from its letters.
inline std::vector<PlainWord> WordsOfName(const std::string& name) {
  std::vector<PlainWord> words;
  for (std::size_t i = 0; i < name.size(); i += 3) {
    PlainWord word;
    word.stem = HashOfName(name.substr(i, 3));
    for (std::size_t piece = 0; piece < i % 4; ++piece) {
      word.pieces.push_back(static_cast<std::uint32_t>(300 * i + piece));
    }
    words.push_back(word);
  }
  return words;
}

class PlainPart final : public Part {
 public:
  // `gap`: so many tokens and codes of no entry lie before every third one, as in a live part.
  explicit PlainPart(std::vector<PlainEntry> entries, std::size_t signature_words = 2,
                     std::uint32_t gap = 0)
      : entries_(std::move(entries)), signature_words_(signature_words) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const PlainEntry& entry = entries_[i];
      if (i % 3 == 1 && !entry.erased) {
        tokens_.insert(tokens_.end(), gap, 99);
        for (std::uint32_t g = 0; g < gap; ++g) {
          PushCode(PlainWord{std::vector<std::uint64_t>(signature_words_, g), g, {}},
                   static_cast<std::uint32_t>(tokens_.size() - 1), kNone);
        }
      }
      const auto token_begin = static_cast<std::uint32_t>(tokens_.size());
      const auto code_begin = static_cast<std::uint32_t>(codes_.size());
      tokens_.insert(tokens_.end(), entry.tokens.begin(), entry.tokens.end());
      for (const auto& [token, word] : entry.words) {
        PushCode(word, token_begin + token, static_cast<std::uint32_t>(i));
      }
      token_spans_.push_back({token_begin, static_cast<std::uint32_t>(tokens_.size())});
      code_spans_.push_back({code_begin, static_cast<std::uint32_t>(codes_.size())});
      sessions_.push_back(entry.erased ? kNone : NumberOf(session_names_, entry.session));
      speakers_.push_back(
          entry.erased || entry.speaker.empty() ? kNone : NumberOf(speaker_names_, entry.speaker));
    }
  }

  const std::vector<PlainEntry>& entries() const { return entries_; }

  std::uint32_t entry_count() const noexcept override {
    return static_cast<std::uint32_t>(entries_.size());
  }
  std::size_t signature_words() const noexcept override { return signature_words_; }
  EntryRow Row(std::uint32_t entry) const override {
    const PlainEntry& e = entries_[entry];
    if (e.erased) return {};
    return {sessions_[entry], speakers_[entry], e.role, e.at, e.ingested};
  }
  Interval32 TokenSpan(std::uint32_t entry) const override { return token_spans_[entry]; }
  Interval32 CodeSpan(std::uint32_t entry) const override { return code_spans_[entry]; }
  void AppendExtras(std::uint32_t entry, std::vector<std::uint8_t>& out) const override {
    out.insert(out.end(), entries_[entry].extras.begin(), entries_[entry].extras.end());
  }
  void Tokens(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const override {
    std::copy(tokens_.begin() + begin, tokens_.begin() + end, out);
  }

  std::uint32_t session_count() const noexcept override { return Count(session_names_); }
  std::string_view SessionName(std::uint32_t session) const override {
    return session_names_[session];
  }
  std::uint32_t RunBegin(std::uint32_t entry) const override {
    while (entry > 0 && sessions_[entry - 1] == sessions_[entry]) --entry;
    return entry;
  }
  std::uint32_t Previous(std::uint32_t entry) const override {
    if (sessions_[entry] == kNone) return kNone;
    for (std::uint32_t i = entry; i-- > 0;) {
      if (sessions_[i] == sessions_[entry]) return i;
    }
    return kNone;
  }
  std::uint32_t Next(std::uint32_t entry, std::uint32_t size) const override {
    if (sessions_[entry] == kNone) return kNone;
    for (std::uint32_t i = entry + 1; i < size; ++i) {
      if (sessions_[i] == sessions_[entry]) return i;
    }
    return kNone;
  }
  std::uint32_t FirstOfSession(std::uint32_t session) const override {
    const auto at = std::find(sessions_.begin(), sessions_.end(), session);
    return at == sessions_.end() ? kNone : static_cast<std::uint32_t>(at - sessions_.begin());
  }
  std::uint32_t LastOfSession(std::uint32_t session, std::uint32_t size) const override {
    for (std::uint32_t i = size; i-- > 0;) {
      if (sessions_[i] == session) return i;
    }
    return kNone;
  }

  std::uint32_t speaker_count() const noexcept override { return Count(speaker_names_); }
  std::string_view SpeakerName(std::uint32_t speaker) const override {
    return speaker_names_[speaker];
  }
  std::uint32_t speaker_word_count(std::uint32_t speaker) const override {
    return static_cast<std::uint32_t>(WordsOfName(speaker_names_[speaker]).size());
  }
  std::uint64_t SpeakerWordStem(std::uint32_t speaker, std::uint32_t word) const override {
    return WordsOfName(speaker_names_[speaker])[word].stem;
  }
  void SpeakerWordPieces(std::uint32_t speaker, std::uint32_t word,
                         std::vector<std::uint32_t>& pieces) const override {
    const auto words = WordsOfName(speaker_names_[speaker]);
    pieces.insert(pieces.end(), words[word].pieces.begin(), words[word].pieces.end());
  }

  std::uint32_t code_count() const noexcept override { return Count(dictionary_); }
  void FindBall(std::span<const std::uint64_t> signature, const std::uint64_t* stem,
                std::uint32_t radius, BallFinder&, Ball& ball) const override {
    std::vector<std::pair<std::uint16_t, std::uint32_t>> found;
    for (std::uint32_t code = 0; code < dictionary_.size(); ++code) {
      std::uint32_t distance = 0;
      for (std::size_t word = 0; word < signature_words_; ++word) {
        distance += static_cast<std::uint32_t>(
            __builtin_popcountll(signature[word] ^ dictionary_[code].signature[word]));
      }
      if (stem != nullptr && *stem == dictionary_[code].stem) distance = 0;
      if (distance <= radius) found.emplace_back(distance, code);
    }
    std::sort(found.begin(), found.end());
    ball = {};
    for (const auto& [distance, code] : found) {
      ball.distances.push_back(distance);
      ball.codes.push_back(code);
    }
  }
  void Signature(std::uint32_t code, std::uint64_t* words) const override {
    std::copy(dictionary_[code].signature.begin(), dictionary_[code].signature.end(), words);
  }
  std::uint64_t Stem(std::uint32_t code) const override { return dictionary_[code].stem; }
  void Pieces(std::uint32_t code, std::vector<std::uint32_t>& pieces) const override {
    pieces.insert(pieces.end(), dictionary_[code].pieces.begin(), dictionary_[code].pieces.end());
  }
  std::uint32_t EntriesWith(std::uint32_t code) const override {
    return static_cast<std::uint32_t>(AllEntriesOf(code, entry_count()).size());
  }
  std::size_t EntriesOf(std::uint32_t code, std::uint32_t size, Sweep& sweep,
                        std::span<std::uint32_t> out) const override {
    const auto all = AllEntriesOf(code, size);
    std::size_t count = 0;
    while (count < out.size() && sweep.occurrence < all.size()) {
      out[count++] = all[sweep.occurrence++];
    }
    return count;
  }
  std::uint64_t OccurrencesOf(std::uint32_t code) const override {
    return static_cast<std::uint64_t>(std::count(codes_.begin(), codes_.end(), code));
  }
  void CountIn(std::span<const std::uint32_t> codes, Interval32 positions,
               std::uint32_t* counts) const override {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      counts[i] = static_cast<std::uint32_t>(
          std::count(codes_.begin() + positions.begin, codes_.begin() + positions.end, codes[i]));
    }
  }
  void Codes(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& codes,
             std::vector<std::uint32_t>* tokens) const override {
    codes.assign(codes_.begin() + begin, codes_.begin() + end);
    if (tokens != nullptr) tokens->assign(code_tokens_.begin() + begin, code_tokens_.begin() + end);
  }
  void FindFingerprint(std::uint32_t fingerprint,
                       std::vector<std::uint32_t>& entries) const override {
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].erased && FingerprintOf(entries_[i]) == fingerprint) entries.push_back(i);
    }
  }
  std::size_t SizeInBytes() const override { return 0; }

  static std::uint32_t FingerprintOf(const PlainEntry& entry) {
    return Fingerprint(entry.tokens, entry.role, HashOfName(entry.session),
                       entry.speaker.empty() ? 0 : HashOfName(entry.speaker));
  }

  // Ascending, each once.
  std::vector<std::uint32_t> AllEntriesOf(std::uint32_t code, std::uint32_t size) const {
    std::vector<std::uint32_t> entries;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      const std::uint32_t entry = code_entries_[i];
      if (codes_[i] != code || entry >= size) continue;
      if (entries.empty() || entries.back() != entry) entries.push_back(entry);
    }
    return entries;
  }

 private:
  template <typename T>
  static std::uint32_t Count(const std::vector<T>& list) noexcept {
    return static_cast<std::uint32_t>(list.size());
  }
  static std::uint32_t NumberOf(std::vector<std::string>& names, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) return static_cast<std::uint32_t>(at - names.begin());
    names.push_back(name);
    return Count(names) - 1;
  }
  void PushCode(const PlainWord& word, std::uint32_t token, std::uint32_t entry) {
    const auto [at, added] = code_of_.emplace(word.Key(), Count(dictionary_));
    if (added) dictionary_.push_back(word);
    codes_.push_back(at->second);
    code_tokens_.push_back(token);
    code_entries_.push_back(entry);
  }

  std::vector<PlainEntry> entries_;
  std::size_t signature_words_;
  std::vector<std::uint32_t> tokens_, codes_, code_tokens_, code_entries_;
  std::vector<Interval32> token_spans_, code_spans_;
  std::vector<std::uint32_t> sessions_, speakers_;
  std::vector<std::string> session_names_, speaker_names_;
  std::vector<PlainWord> dictionary_;
  std::map<std::pair<std::uint64_t, std::vector<std::uint64_t>>, std::uint32_t> code_of_;
};

// Entries of few words and sessions, so that everything repeats and interleaves.
class RandomEntries {
 public:
  explicit RandomEntries(std::uint32_t seed, std::size_t signature_words = 2,
                         std::uint32_t sessions = 5)
      : random_(seed), signature_words_(signature_words), sessions_(sessions) {}

  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  std::vector<PlainEntry> Make(std::uint32_t count, std::uint32_t max_tokens = 40) {
    std::vector<PlainEntry> entries(count);
    for (PlainEntry& entry : entries) Fill(entry, max_tokens);
    return entries;
  }

 private:
  void Fill(PlainEntry& entry, std::uint32_t max_tokens) {
    if (Below(6) == 0) session_ = Below(sessions_);
    entry.session = "session " + std::to_string(session_);
    if (Below(3) > 0) entry.speaker = std::string(1 + Below(4), static_cast<char>('A' + Below(3)));
    entry.role = static_cast<std::uint8_t>(Below(4));
    entry.at = 1'700'000'000'000 + std::int64_t{Below(1'000'000)} * (Below(2) == 0 ? 1 : 60'000);
    entry.ingested = 1'750'000'000'000 + std::int64_t{Below(3)};
    if (Below(4) == 0) entry.extras = "{\"k\":" + std::to_string(Below(3)) + "}";
    const std::uint32_t tokens = Below(max_tokens + 1);
    for (std::uint32_t i = 0; i < tokens; ++i) {
      entry.tokens.push_back(Below(4) == 0 ? Below(200'019) : Below(60) * Below(60));
      for (std::uint32_t words = Below(4); words > 2; --words) {
        entry.words.emplace_back(i, Word(Below(80) * Below(8)));
      }
    }
  }
  PlainWord Word(std::uint32_t number) {
    PlainWord word;
    std::mt19937_64 bits(number);
    for (std::size_t i = 0; i < signature_words_; ++i) {
      word.signature.push_back(bits() & bits() & bits());
    }
    word.stem = number / 3 % 2 == 0 ? number / 3 : ~std::uint64_t{number / 3};
    for (std::uint32_t i = 0; i < number % 4; ++i) word.pieces.push_back(number * 40 + i);
    return word;
  }

  std::mt19937 random_;
  std::size_t signature_words_;
  std::uint32_t sessions_;
  std::uint32_t session_ = 0;
};

}  // namespace dentate::bank

#endif  // DENTATE_TEST_NATIVE_BANK_PLAIN_PART_H_
