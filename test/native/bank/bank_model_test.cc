#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bank/bank.h"
#include "bank/bank_model.h"
#include "bank/check_part.h"
#include "bank/facts.h"
#include "bank/part_builder.h"

namespace dentate::bank::test {
namespace {

constexpr Interval32 kAnyRow{0, 1'000'000};

using Records = std::vector<std::vector<std::uint8_t>>;

TestTurn Hole() {
  TestTurn turn;
  turn.hole = true;
  return turn;
}

// A bank under random changes, beside its model and its log.
class Play {
 public:
  explicit Play(std::uint32_t seed) : random_(seed), bank_(NewBank()) {}

  static std::unique_ptr<Bank> NewBank() {
    return std::make_unique<Bank>(BankSettings{kTestWords}, "a bank", 1);
  }

  void Step() {
    model_.now += random_.Below(10);
    refuse_ = random_.Below(8) == 0;
    switch (random_.Below(10)) {
      case 0:
        Delete();
        break;
      case 1:
        DeleteVersions();
        break;
      case 2:
        Touch();
        break;
      case 3:
        if (random_.Below(3) == 0) Freeze();
        break;
      case 4:
        if (random_.Below(2) == 0) Seal();
        if (random_.Below(4) == 0) Merge();
        break;
      default:
        Append();
        break;
    }
  }

  void Check() { CheckBank(*bank_, model_); }

  // Whoever replays the log has the same, though its parts are others.
  void CheckReplayed() {
    const auto copy = NewBank();
    for (const auto& record : records_) REQUIRE(copy->ApplyRecord(record).ok());
    CheckBank(*copy, model_);
    copy->Freeze();
    CheckBank(*copy, model_);
  }

  // And who loads the images, and replays what they do not cover.
  void CheckLoaded() {
    const auto loaded = NewBank();
    for (const auto& image : images_) {
      PartFacts facts;
      REQUIRE(image->Facts({&kAnyRow, 1}, facts).ok());
      REQUIRE(
          loaded
              ->AddSealed(image->entry_count() == 0 ? nullptr : image, image->first_entry(), facts)
              .ok());
    }
    for (std::size_t i = sealed_records_; i < records_.size(); ++i) {
      REQUIRE(loaded->ApplyRecord(records_[i]).ok());
    }
    CheckBank(*loaded, model_);
  }

 private:
  Sink LogSink() {
    return [this](std::span<const std::uint8_t> record) {
      if (refuse_) return Status(ErrorCode::kIo, "the disk is full");
      records_.emplace_back(record.begin(), record.end());
      return Status::Ok();
    };
  }

  std::vector<std::uint32_t> SomeEntries(std::uint32_t limit) {
    std::vector<std::uint32_t> entries;
    for (std::uint32_t i = random_.Below(limit); i > 0; --i) {
      entries.push_back(random_.Below(model_.size() + 1));
    }
    return entries;
  }

  void Append() {
    std::vector<TestTurn> turns;
    for (std::uint32_t i = random_.Below(5); i > 0; --i) {
      TestTurn turn = random_.Make(model_.now);
      const std::uint32_t kind = random_.Below(12);
      if (kind == 0) turn = Hole();
      if (kind == 1) turn.expires = model_.now + random_.Below(200);
      if (kind < 6 && kind > 1 && model_.size() > 0) {
        const std::uint32_t other = random_.Below(model_.size());
        if (!model_.entries[other].turn.hole) {
          if (kind < 4) {
            turn.origin = other;
          } else {
            turn = model_.entries[other].turn;  // a duplicate, perhaps
            turn.origin = kNone;
            turn.ingested = model_.now;
          }
        }
      }
      turns.push_back(turn);
      if (random_.Below(10) == 0 && !turn.hole) turns.push_back(turn);
    }
    OwnedBatch batch(turns);
    batch.dedupe = random_.Below(3) == 0;
    batch.restore = random_.Below(3) == 0;
    AppendResult result;
    const std::uint32_t before = bank_->next_entry();
    BankModel after = model_;
    std::vector<std::uint8_t> duplicates;
    std::vector<bool> kept;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const auto equals = [&](const TestTurn& earlier) {
        return !earlier.hole && earlier.origin == kNone && earlier.expires > turns[i].ingested &&
               earlier.SameContent(turns[i]);
      };
      const bool plain = !turns[i].hole && turns[i].origin == kNone;
      const auto begin = turns.begin();
      const bool earlier = std::any_of(begin, begin + static_cast<std::ptrdiff_t>(i), equals);
      duplicates.push_back(plain && (earlier || model_.HasDuplicate(turns[i])) ? 1 : 0);
      const bool gone = turns[i].origin != kNone && model_.Versions(turns[i].origin).empty();
      kept.push_back((!batch.dedupe || duplicates.back() == 0) && (batch.restore || !gone));
      if (kept.back()) after.Push(turns[i]);
    }
    const Status status = bank_->Append(batch.View(), LogSink(), result);
    CHECK(result.first_entry == before);
    if (after.size() == model_.size() || !refuse_) {
      REQUIRE(status.ok());
      CHECK(result.duplicates == duplicates);
      CHECK(result.added == after.size() - model_.size());
      for (std::size_t i = 0; i < turns.size(); ++i) {
        if (!kept[i] && duplicates[i] == 0) {
          CHECK(result.entries[i] == kNone);
        } else {
          CHECK(after.entries[result.entries[i]].turn.tokens == turns[i].tokens);
        }
      }
      model_ = after;
    } else {
      CHECK(status.code() == ErrorCode::kIo);
    }
    CHECK(bank_->next_entry() == model_.size());
  }

  void Delete() {
    const auto entries = SomeEntries(4);
    std::uint32_t deleted = 0;
    const Status status = bank_->Delete(entries, LogSink(), deleted);
    BankModel after = model_;
    std::uint32_t expected = 0;
    for (const std::uint32_t entry : entries) {
      if (entry == model_.size()) continue;  // no such entry
      const auto versions = after.Versions(entry);
      if (!versions.empty()) ++expected;
      for (const std::uint32_t version : versions) after.entries[version].deleted = true;
    }
    Settle(status, expected > 0, after);
    CHECK(deleted == (status.ok() ? expected : 0));
  }

  void DeleteVersions() {
    const auto entries = random_.Below(2) == 0 ? bank_->Superseded() : SomeEntries(3);
    std::uint32_t deleted = 0;
    const Status status = bank_->DeleteVersions(entries, LogSink(), deleted);
    BankModel after = model_;
    std::uint32_t expected = 0;
    for (const std::uint32_t entry : entries) {
      if (entry == model_.size() || after.entries[entry].deleted) continue;
      after.entries[entry].deleted = true;
      ++expected;
    }
    Settle(status, expected > 0, after);
    CHECK(deleted == (status.ok() ? expected : 0));
  }

  void Touch() {
    auto entries = SomeEntries(6);
    const Status status = bank_->Touch(entries, model_.now, LogSink());
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    BankModel after = model_;
    bool any = false;
    for (const std::uint32_t entry : entries) {
      if (entry == model_.size() || after.entries[entry].deleted) continue;
      ++after.entries[entry].recalls;
      after.entries[entry].last = model_.now;
      any = true;
    }
    Settle(status, any, after);
  }

  void Settle(const Status& status, bool any, const BankModel& after) {
    if (any && refuse_) {
      CHECK(status.code() == ErrorCode::kIo);
    } else {
      CHECK(status.ok());
      model_ = after;
    }
  }

  void Freeze() {
    Frozen frozen = bank_->Freeze();
    CHECK(frozen.facts.next_entry == model_.size());
    for (const PlacedPart& placed : frozen.parts) {
      for (std::uint32_t i = 0; i < placed.size; ++i) {
        const std::uint32_t entry = placed.first_entry + i;
        CHECK(frozen.living[entry - frozen.parts[0].first_entry] == !model_.entries[entry].deleted);
      }
    }
    waiting_.push_back({std::move(frozen), records_.size()});
  }

  // The oldest frozen period becomes an image, and lies in the bank as a sealed part.
  void Seal() {
    if (waiting_.empty()) return;
    const Frozen frozen = std::move(waiting_.front().first);
    sealed_records_ = waiting_.front().second;
    waiting_.erase(waiting_.begin());
    if (frozen.empty()) return;
    std::vector<PartSource> sources;
    std::vector<const Part*> old;
    for (const PlacedPart& placed : frozen.parts) {
      sources.push_back({placed.part.get(), placed.first_entry, placed.size});
      old.push_back(placed.part.get());
    }
    const std::uint32_t first = frozen.parts.empty() ? 0 : frozen.parts[0].first_entry;
    AddImage(
        images_.size(), images_.size(), sources, old,
        [&](std::uint32_t entry) { return frozen.living[entry - first]; }, frozen.facts);
  }

  // Some images become one, without what has been deleted since.
  void Merge() {
    if (images_.empty()) return;
    const std::size_t from = random_.Below(static_cast<std::uint32_t>(images_.size()));
    const std::size_t to = std::min(images_.size(), from + 1 + random_.Below(3));
    PartFacts facts;
    std::vector<PartSource> sources;
    std::vector<const Part*> old;
    for (std::size_t i = from; i < to; ++i) {
      PartFacts newer;
      REQUIRE(images_[i]->Facts({&kAnyRow, 1}, newer).ok());
      facts = MergeFacts(facts, newer, [](std::uint32_t) { return true; });
      if (images_[i]->entry_count() == 0) continue;
      sources.push_back({images_[i].get(), images_[i]->first_entry(), images_[i]->entry_count()});
      old.push_back(images_[i].get());
    }
    AddImage(
        from, to, sources, old,
        [this](std::uint32_t entry) { return !model_.entries[entry].deleted; }, facts);
  }

  void AddImage(std::size_t from, std::size_t to, std::span<const PartSource> sources,
                std::span<const Part* const> old, const KeepEntry& keep, const PartFacts& facts) {
    BuiltPart built;
    REQUIRE(BuildPart(sources, keep, facts, kTestWords, {}, built).ok());
    const auto image = OpenImage(built.image);
    bank_->ReplaceParts(old, image, built.first_entry);
    const auto at = images_.begin();
    images_.erase(at + static_cast<std::ptrdiff_t>(from), at + static_cast<std::ptrdiff_t>(to));
    images_.insert(images_.begin() + static_cast<std::ptrdiff_t>(from), image);
  }

  RandomTurns random_;
  BankModel model_;
  Records records_;
  bool refuse_ = false;
  std::unique_ptr<Bank> bank_;
  std::vector<std::pair<Frozen, std::size_t>> waiting_;  // with the records there were
  std::vector<std::shared_ptr<const SealedPart>> images_;
  std::size_t sealed_records_ = 0;  // those that images_ cover
};

}  // namespace

TEST_CASE("a bank is what a list of turns is, whatever is done to it") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Play play(seed);
    for (int round = 0; round < 6; ++round) {
      for (int step = 0; step < 25; ++step) play.Step();
      play.Check();
    }
    play.CheckReplayed();
    play.CheckLoaded();
  }
}

}  // namespace dentate::bank::test
