// Random batches and queries for the bank's tests: few words with near signatures and shared stems,
// so that balls overlap, sessions interleave and words repeat.

#ifndef DENTATE_TEST_NATIVE_BANK_RANDOM_BANK_H_
#define DENTATE_TEST_NATIVE_BANK_RANDOM_BANK_H_

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "old_bank/bank.h"
#include "old_bank/query.h"

namespace dentate::old_bank {

inline constexpr std::size_t kTestDimensions = 6;
inline constexpr std::size_t kTestWords = 2;

// Keeps the groups, or refuses them.
class RecordingLog final : public old_storage::Log {
 public:
  explicit RecordingLog(std::vector<std::vector<std::uint8_t>>& groups) : groups_(groups) {}

  Status Append(std::span<const std::uint8_t> group) override {
    if (refuse) return Status(ErrorCode::kIo, "the disk is full");
    groups_.emplace_back(group.begin(), group.end());
    return Status::Ok();
  }
  std::uint64_t sequence() const noexcept override { return groups_.size(); }

  bool refuse = false;

 private:
  std::vector<std::vector<std::uint8_t>>& groups_;
};

// A batch and the arrays it points to.
struct OwnedBatch {
  std::vector<std::uint32_t> tokens, token_counts, code_tokens, code_counts, sessions, speakers,
      metadata_lengths;
  std::vector<std::uint64_t> signatures, stems;
  std::vector<float> vectors;
  std::vector<std::uint8_t> metadata;

  Batch View() const {
    Batch batch;
    batch.tokens = tokens;
    batch.token_counts = token_counts;
    batch.signatures = signatures;
    batch.stems = stems;
    batch.code_tokens = code_tokens;
    batch.code_counts = code_counts;
    batch.sessions = sessions;
    batch.speakers = speakers;
    batch.vectors = vectors;
    batch.metadata = metadata;
    batch.metadata_lengths = metadata_lengths;
    return batch;
  }
};

class RandomBank {
 public:
  explicit RandomBank(std::uint32_t seed, std::uint32_t words = 200)
      : random_(seed), words_(words), signatures_(words * kTestWords) {
    for (auto& word : signatures_) word = Bits() & Bits() & Bits();  // within 42 bits, mostly
  }

  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  OwnedBatch MakeBatch(std::uint32_t entries) {
    OwnedBatch batch;
    for (std::uint32_t entry = 0; entry < entries; ++entry) {
      const std::uint32_t tokens = Below(30);
      std::uint32_t codes = 0;
      for (std::uint32_t token = 0; token < tokens; ++token) {
        batch.tokens.push_back(Below(4) == 0 ? Below(200'019) : Below(100));
        for (std::uint32_t i = Below(3); i > 1; --i, ++codes) {
          PushWord(Below(words_), batch.signatures, batch.stems);
          batch.code_tokens.push_back(token);
        }
      }
      batch.token_counts.push_back(tokens);
      batch.code_counts.push_back(codes);
      // Runs of a session, now and then interrupted.
      if (Below(8) == 0) session_ = Below(6);
      batch.sessions.push_back(Below(10) == 0 ? Below(6) : session_);
      batch.speakers.push_back(Below(3) == 0 ? EntryTable::kNone : Below(3));
      PushVector(batch.vectors);
      batch.metadata_lengths.push_back(Below(40));
      batch.metadata.resize(batch.metadata.size() + batch.metadata_lengths.back(),
                            static_cast<std::uint8_t>(entry));
    }
    return batch;
  }

  SearchQuery MakeQuery(std::uint32_t codes, bool dense) {
    SearchQuery query;
    for (std::uint32_t i = 0; i < codes; ++i) {
      PushWord(Below(words_), query.codes.signatures, query.codes.stems);
      query.codes.word_of.push_back(i / 2);
    }
    query.codes.radius = 42;
    query.limit = 1 + Below(50);
    query.weights.dense = 0.8F;
    query.weights.speaker = 0.12F;
    query.weights.neighbours = {0.6F, 0.5F, 0.4F, 0.3F};
    query.speakers = {Below(4)};
    query.speaker_codes = {codes > 0 && Below(2) == 0 ? 0 : EntryTable::kNone};
    query.weights.length = 0.1F;
    query.weights.prune = Below(2) * 0.04;
    if (codes > 1) query.marks = {{1, Below(100), 100 + Below(100)}};
    if (dense) PushVector(query.vector);
    return query;
  }

 private:
  std::uint64_t Bits() { return std::uint64_t{random_()} << 32 | random_(); }

  void PushWord(std::uint32_t word, std::vector<std::uint64_t>& signatures,
                std::vector<std::uint64_t>& stems) {
    for (std::size_t i = 0; i < kTestWords; ++i) {
      signatures.push_back(signatures_[word * kTestWords + i]);
    }
    stems.push_back(word / 3);
  }

  void PushVector(std::vector<float>& vectors) {
    for (std::size_t i = 0; i < kTestDimensions; ++i) {
      vectors.push_back(static_cast<float>(Below(2001)) / 1000 - 1);
    }
  }

  std::mt19937 random_;
  std::uint32_t words_;
  std::vector<std::uint64_t> signatures_;
  std::uint32_t session_ = 0;
};

inline std::unique_ptr<Bank> NewBank(std::unique_ptr<old_storage::Log> log) {
  return std::make_unique<Bank>(kTestWords * 64, kTestDimensions, std::move(log));
}

}  // namespace dentate::old_bank

#endif  // DENTATE_TEST_NATIVE_BANK_RANDOM_BANK_H_
