// Random batches for the bank's tests, and a naive model of a bank: few words with near signatures
// and shared stems, few sessions and speakers, so that everything repeats and interleaves.

#ifndef DENTATE_TEST_NATIVE_BANK_RANDOM_BATCHES_H_
#define DENTATE_TEST_NATIVE_BANK_RANDOM_BATCHES_H_

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bank/batch.h"

namespace dentate::bank::test {

inline constexpr std::size_t kTestWords = 2;  // of a signature

struct TestWord {
  std::vector<std::uint64_t> signature;
  std::uint64_t stem = 0;
  std::vector<std::uint32_t> pieces;
  bool operator==(const TestWord&) const = default;
};

struct TestCode {
  TestWord word;
  std::uint32_t token = 0;  // within the entry
  bool operator==(const TestCode&) const = default;
};

// A turn, or an entry of the model.
struct TestTurn {
  bool hole = false;
  std::uint32_t session = 0;      // number of a name
  std::uint32_t speaker = kNone;  // number of a name
  std::uint8_t role = 0;
  std::int64_t at = 0, ingested = 0, expires = kNever;
  std::uint32_t origin = kNone;
  std::vector<std::uint32_t> tokens;
  std::vector<TestCode> codes;
  std::vector<std::uint8_t> extras;

  bool SameContent(const TestTurn& other) const {
    return session == other.session && speaker == other.speaker && role == other.role &&
           tokens == other.tokens;
  }
};

inline std::string TestSession(std::uint32_t number) {
  return number == 0 ? "" : "session " + std::to_string(number);
}
inline std::string TestSpeaker(std::uint32_t number) { return "speaker " + std::to_string(number); }

// A batch and the arrays it points to.
struct OwnedBatch {
  std::vector<std::uint32_t> token_counts, code_counts, extras_lengths, sessions, speakers, origins;
  std::vector<std::uint8_t> roles, extras;
  std::vector<double> at, ingested, expires;
  std::vector<std::uint32_t> tokens, pieces, piece_counts, code_tokens;
  std::vector<std::uint64_t> signatures, stems;
  std::vector<std::string> names;
  std::vector<std::string_view> session_names, speaker_names;
  std::vector<std::uint64_t> speaker_stems;
  std::vector<std::uint32_t> speaker_pieces, speaker_piece_counts, speaker_word_counts;
  bool dedupe = false, restore = false;

  explicit OwnedBatch(const std::vector<TestTurn>& turns = {}) {
    names.reserve(2 * turns.size());
    for (const TestTurn& turn : turns) Push(turn);
  }

  void Push(const TestTurn& turn) {
    sessions.push_back(turn.hole ? kNone : NameOf(session_names, TestSession(turn.session)));
    if (turn.hole || turn.speaker == kNone) {
      speakers.push_back(kNone);
    } else {
      const std::size_t known = speaker_names.size();
      speakers.push_back(NameOf(speaker_names, TestSpeaker(turn.speaker)));
      if (speaker_names.size() > known) PushSpeakerWords(turn.speaker);
    }
    roles.push_back(turn.role);
    at.push_back(static_cast<double>(turn.at));
    ingested.push_back(static_cast<double>(turn.ingested));
    expires.push_back(turn.expires == kNever ? HUGE_VAL : static_cast<double>(turn.expires));
    origins.push_back(turn.origin);
    token_counts.push_back(static_cast<std::uint32_t>(turn.tokens.size()));
    tokens.insert(tokens.end(), turn.tokens.begin(), turn.tokens.end());
    code_counts.push_back(static_cast<std::uint32_t>(turn.codes.size()));
    for (const TestCode& code : turn.codes) {
      signatures.insert(signatures.end(), code.word.signature.begin(), code.word.signature.end());
      stems.push_back(code.word.stem);
      piece_counts.push_back(static_cast<std::uint32_t>(code.word.pieces.size()));
      pieces.insert(pieces.end(), code.word.pieces.begin(), code.word.pieces.end());
      code_tokens.push_back(code.token);
    }
    extras_lengths.push_back(static_cast<std::uint32_t>(turn.extras.size()));
    extras.insert(extras.end(), turn.extras.begin(), turn.extras.end());
  }

  Batch View() const {
    Batch batch;
    batch.token_counts = token_counts;
    batch.code_counts = code_counts;
    batch.extras_lengths = extras_lengths;
    batch.sessions = sessions;
    batch.speakers = speakers;
    batch.roles = roles;
    batch.at = at;
    batch.ingested = ingested;
    batch.expires = expires;
    batch.origins = origins;
    batch.tokens = tokens;
    batch.extras = extras;
    batch.signatures = signatures;
    batch.words = {stems, pieces, piece_counts};
    batch.code_tokens = code_tokens;
    batch.session_names = session_names;
    batch.speaker_names = speaker_names;
    batch.speaker_words = {speaker_stems, speaker_pieces, speaker_piece_counts};
    batch.speaker_word_counts = speaker_word_counts;
    batch.dedupe = dedupe;
    batch.restore = restore;
    return batch;
  }

  // The words of a speaker's name: number % 3 of them.
  static std::uint64_t SpeakerStem(std::uint32_t speaker, std::uint32_t word) {
    return 1000 + speaker * 10 + word;
  }

 private:
  std::uint32_t NameOf(std::vector<std::string_view>& list, std::string name) {
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      if (list[i] == name) return i;
    }
    names.push_back(std::move(name));  // reserved: views stay
    list.emplace_back(names.back());
    return static_cast<std::uint32_t>(list.size() - 1);
  }

  void PushSpeakerWords(std::uint32_t speaker) {
    speaker_word_counts.push_back(speaker % 3);
    for (std::uint32_t word = 0; word < speaker % 3; ++word) {
      speaker_stems.push_back(SpeakerStem(speaker, word));
      speaker_piece_counts.push_back(word);
      for (std::uint32_t piece = 0; piece < word; ++piece)
        speaker_pieces.push_back(speaker + piece);
    }
  }
};

class RandomTurns {
 public:
  explicit RandomTurns(std::uint32_t seed, std::uint32_t words = 200)
      : random_(seed), words_(words) {
    std::uint64_t stem = 0;
    for (TestWord& word : words_) {
      for (std::size_t i = 0; i < kTestWords; ++i) {
        word.signature.push_back(Bits() & Bits() & Bits());  // within 42 bits of each other, mostly
      }
      word.stem = stem++ / 3;
      for (std::uint32_t i = Below(4); i > 0; --i) word.pieces.push_back(Below(29'528));
    }
  }

  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  const std::vector<TestWord>& words() const { return words_; }

  TestTurn Make(std::int64_t now) {
    TestTurn turn;
    const std::uint32_t tokens = Below(30);
    for (std::uint32_t token = 0; token < tokens; ++token) {
      turn.tokens.push_back(Below(4) == 0 ? Below(200'019) : Below(100));
      for (std::uint32_t i = Below(3); i > 1; --i) {
        turn.codes.push_back({words_[Below(static_cast<std::uint32_t>(words_.size()))], token});
      }
    }
    // Runs of a session, now and then interrupted.
    if (Below(8) == 0) session_ = Below(6);
    turn.session = Below(10) == 0 ? Below(6) : session_;
    turn.speaker = Below(3) == 0 ? kNone : Below(4);
    turn.role = static_cast<std::uint8_t>(Below(4));
    turn.at = static_cast<std::int64_t>(Below(1'000'000)) - 500'000;
    turn.ingested = now;
    turn.extras.assign(Below(40), static_cast<std::uint8_t>(Below(256)));
    return turn;
  }

  std::vector<TestTurn> MakeMany(std::uint32_t count, std::int64_t now) {
    std::vector<TestTurn> turns;
    for (std::uint32_t i = 0; i < count; ++i) turns.push_back(Make(now));
    return turns;
  }

 private:
  std::uint64_t Bits() { return std::uint64_t{random_()} << 32 | random_(); }

  std::mt19937 random_;
  std::vector<TestWord> words_;
  std::uint32_t session_ = 0;
};

}  // namespace dentate::bank::test

#endif  // DENTATE_TEST_NATIVE_BANK_RANDOM_BATCHES_H_
