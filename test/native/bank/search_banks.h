// The same turns as banks that are cut into parts in different ways, and questions to them.

#ifndef DENTATE_TEST_NATIVE_BANK_SEARCH_BANKS_H_
#define DENTATE_TEST_NATIVE_BANK_SEARCH_BANKS_H_

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

#include "bank/bank.h"
#include "bank/check_part.h"
#include "bank/part_builder.h"
#include "bank/random_batches.h"
#include "bank/search_model.h"
#include "text/token_breaks.h"

namespace dentate::bank::test {

inline const Sink kNoLog = [](std::span<const std::uint8_t>) { return Status::Ok(); };
// Of all tokens that a random turn has.
inline const std::vector<std::uint8_t> kCutAnywhere(1 << 18, text::kMayPrecede | text::kMayFollow);
inline const Cancelled kGoOn = [] { return false; };

inline std::unique_ptr<Bank> NewBank() {
  return std::make_unique<Bank>(BankSettings{kTestWords}, "a bank", 1);
}

inline void AppendTo(Bank& bank, const std::vector<TestTurn>& turns) {
  AppendResult result;
  REQUIRE(bank.Append(OwnedBatch(turns).View(), kNoLog, result).ok());
}

// All parts from the `from`-th on become one sealed part; deleted rows stay if `keep_deleted`.
inline void SealFrom(Bank& bank, std::size_t from, bool keep_deleted) {
  bank.Freeze();
  const auto all = bank.ReadAll();
  std::vector<PartSource> sources;
  std::vector<const Part*> old;
  for (std::size_t i = from; i < all->parts.size(); ++i) {
    const PlacedPart& placed = all->parts[i];
    sources.push_back({placed.part.get(), placed.first_entry, placed.size});
    old.push_back(placed.part.get());
  }
  if (old.empty()) return;
  BuiltPart built;
  REQUIRE(BuildPart(
              sources, [&](std::uint32_t entry) { return keep_deleted || all->current[entry]; }, {},
              kTestWords, {}, built)
              .ok());
  bank.ReplaceParts(old, built.entry_count == 0 ? nullptr : OpenImage(built.image),
                    built.first_entry);
}

class RandomQueries {
 public:
  RandomQueries(RandomTurns& random, const Bank& bank) : random_(random), bank_(bank) {}

  QueryCodes Codes(std::uint32_t words) {
    QueryCodes codes;
    for (std::uint32_t i = 0; i < words; ++i) {
      const auto limit = static_cast<std::uint32_t>(random_.words().size());
      const TestWord& word = random_.words()[random_.Below(limit)];
      for (std::uint64_t bits : word.signature) {
        codes.signatures.push_back(bits ^ (std::uint64_t{1} << random_.Below(64)));
      }
      codes.stems.push_back(random_.Below(3) == 0 ? 1'000'000 + i : word.stem);
      codes.word_of.push_back(random_.Below(4) == 0 && i > 0 ? i - 1 : i);
    }
    codes.radius = random_.Below(50);
    return codes;
  }

  // `bounded`: with weights that leave something out.
  SearchQuery Make(bool bounded) {
    SearchQuery query;
    const std::uint32_t words = random_.Below(8);
    query.codes = Codes(words);
    if (random_.Below(3) > 0) {
      for (std::size_t i = 0; i < TestVectors().dimensions(); ++i) {
        query.vector.push_back(static_cast<float>(random_.Below(200)) - 100);
      }
    }
    for (std::uint32_t i = random_.Below(3); i > 0 && words > 0; --i) {
      query.speakers.push_back(random_.Below(4));
      query.speaker_codes.push_back(random_.Below(2) == 0 ? kNone : random_.Below(words));
    }
    for (std::uint32_t i = random_.Below(3); i > 0 && words > 0; --i) {
      const std::uint32_t begin = random_.Below(bank_.next_entry());
      query.marks.push_back({random_.Below(words), begin, begin + random_.Below(30)});
    }
    for (std::uint32_t i = random_.Below(3); i > 0; --i) {
      const std::uint32_t begin = random_.Below(bank_.next_entry());
      query.boosts.push_back({begin, begin + random_.Below(30), 0.25F});
    }
    query.weights.dense = 0.8F;
    query.weights.speaker = 0.125F;
    query.weights.neighbours = {0.6F, 0.5F, 0.4F, 0.3F};
    query.weights.length = random_.Below(2) == 0 ? 0.0F : 0.25F;
    query.weights.codes = 100;
    query.limit = bank_.next_entry();
    if (random_.Below(3) == 0) {
      auto allowed = std::make_shared<EntryMask>(random_.Below(bank_.next_entry() + 1), false);
      for (std::uint32_t i = 0; i < allowed->size(); ++i) {
        if (random_.Below(3) > 0) allowed->Set(i);
      }
      query.allowed = std::move(allowed);
    }
    if (bounded) {
      query.weights.codes = 1 + random_.Below(6);
      query.weights.prune = 0.01 * random_.Below(20);
      query.weights.visits = 20 + random_.Below(200);
      query.weights.candidates = 1 + random_.Below(60);
      query.limit = 1 + random_.Below(40);
      if (random_.Below(2) == 0) {
        query.weights.piece = 1 + random_.Below(4);
        query.weights.whole = random_.Below(6);
        query.weights.cut = random_.Below(30);
        query.weights.entry_share = 0.25F * static_cast<float>(random_.Below(4));
        query.breaks = kCutAnywhere;
        query.weights.bulky = random_.Below(16);
        query.weights.bulk_price = 0.5F;
        query.weights.acting = random_.Below(16);
        query.weights.bulk_free = 1 + random_.Below(8);
        query.weights.action_free = 1 + random_.Below(8);
        query.weights.repeat = 0.25F * static_cast<float>(random_.Below(4));
        query.weights.give_way = 0.25F * static_cast<float>(random_.Below(2));
      }
      if (random_.Below(2) == 0) query.recency = {0.25F, 20.0, 500.0, 2'000};
      if (random_.Below(2) == 0) {
        query.forgetting = {0.5, 1'000.0, 2'000, [this](std::span<const std::uint32_t> entries) {
                              return bank_.Strengths(entries);
                            }};
      }
    }
    return query;
  }

 private:
  RandomTurns& random_;
  const Bank& bank_;
};

}  // namespace dentate::bank::test

#endif  // DENTATE_TEST_NATIVE_BANK_SEARCH_BANKS_H_
