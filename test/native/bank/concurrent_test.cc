// Run under ThreadSanitizer as well: -DDENTATE_SANITIZE=thread.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "bank/bank.h"
#include "bank/check_part.h"
#include "bank/part_builder.h"
#include "bank/random_batches.h"

namespace dentate::bank::test {
namespace {

constexpr std::uint32_t kTurns = 300;

// Entries that the writer deletes, some time after it has added them.
bool IsDeleted(std::uint32_t entry) { return entry % 7 == 3; }

// Whether the snapshot says of an entry what its turn is.
bool EntryIsRight(const Snapshot& snapshot, std::uint32_t entry, const TestTurn& turn) {
  const std::size_t index = snapshot.PartOf(entry);
  if (index == snapshot.parts.size()) return false;
  const Part& part = *snapshot.parts[index].part;
  const std::uint32_t local = entry - snapshot.parts[index].first_entry;
  const EntryRow row = part.Row(local);
  if (row.session == kNone || part.SessionName(row.session) != TestSession(turn.session)) {
    return false;
  }
  const NameTable& sessions = snapshot.names->sessions.table();
  if (sessions.Name(snapshot.SessionOf(entry)) != TestSession(turn.session)) return false;
  const Interval32 span = part.TokenSpan(local);
  std::vector<std::uint32_t> tokens(span.size()), codes, code_tokens;
  part.Tokens(span.begin, span.end, tokens.data());
  const Interval32 code_span = part.CodeSpan(local);
  part.Codes(code_span.begin, code_span.end, codes, &code_tokens);
  if (tokens != turn.tokens || codes.size() != turn.codes.size()) return false;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (part.Stem(codes[i]) != turn.codes[i].word.stem ||
        code_tokens[i] - span.begin != turn.codes[i].token) {
      return false;
    }
    if (i > 0) continue;
    // The entry is among those that hold its first code.
    Part::Sweep sweep;
    std::vector<std::uint32_t> some(8);
    bool found = false;
    for (std::size_t n;
         (n = part.EntriesOf(codes[i], snapshot.parts[index].size, sweep, some)) > 0;) {
      found |= std::find(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n), local) !=
               some.begin() + static_cast<std::ptrdiff_t>(n);
    }
    if (!found) return false;
  }
  return true;
}

// Whether the way along the sessions visits exactly the current entries.
bool LinksAreRight(const Snapshot& snapshot) {
  for (std::uint32_t entry = 0; entry < snapshot.entry_count; ++entry) {
    if (!snapshot.current[entry]) continue;
    const std::uint32_t next = snapshot.Next(entry);
    if (next == kNone) continue;
    if (next <= entry || next >= snapshot.entry_count || snapshot.Previous(next) != entry ||
        snapshot.SessionOf(next) != snapshot.SessionOf(entry)) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("whoever reads beside the writer sees whole changes, whatever becomes of the parts") {
  RandomTurns random(3);
  const std::vector<TestTurn> turns = random.MakeMany(kTurns, 1);
  Bank bank({kTestWords}, "a bank", 1);
  std::atomic<int> wrong{0};
  std::atomic<bool> done{false};
  std::atomic<std::uint32_t> reads{0};
  const auto read = [&] {
    std::uint32_t before = 0;
    while (!done.load()) {
      const auto snapshot = reads.load() % 3 == 0 ? bank.ReadAll() : bank.Read(1);
      if (snapshot->entry_count < before) ++wrong;
      before = snapshot->entry_count;
      for (std::uint32_t entry = 0; entry < snapshot->entry_count; ++entry) {
        if (snapshot->current[entry] ? !EntryIsRight(*snapshot, entry, turns[entry])
                                     : !IsDeleted(entry)) {
          ++wrong;
        }
      }
      if (!LinksAreRight(*snapshot)) ++wrong;
      BallFinder finder;
      Ball ball;
      for (const PlacedPart& placed : snapshot->parts) {
        const TestWord& word = random.words()[0];
        placed.part->FindBall(word.signature, &word.stem, 42, finder, ball);
        for (const std::uint32_t code : ball.codes) {
          if (code >= placed.part->code_count()) ++wrong;
        }
      }
      bank.Stats(1);
      ++reads;
    }
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);

  const Sink sink = [](std::span<const std::uint8_t>) { return Status::Ok(); };
  std::vector<Frozen> waiting;
  std::vector<std::uint8_t> deleted(kTurns, 0);
  for (std::uint32_t added = 0; added < kTurns;) {
    const std::uint32_t count = std::min(1 + added % 4, kTurns - added);
    const auto begin = turns.begin() + static_cast<std::ptrdiff_t>(added);
    const OwnedBatch batch({begin, begin + static_cast<std::ptrdiff_t>(count)});
    AppendResult result;
    REQUIRE(bank.Append(batch.View(), sink, result).ok());
    added += count;
    std::vector<std::uint32_t> gone;
    for (std::uint32_t entry = added < 20 ? 0 : added - 20; entry + 10 < added; ++entry) {
      if (IsDeleted(entry) && deleted[entry] == 0) gone.push_back(entry);
    }
    for (const std::uint32_t entry : gone) deleted[entry] = 1;
    std::uint32_t deletions = 0;
    REQUIRE(bank.Delete(gone, sink, deletions).ok());
    if (added % 5 == 0) waiting.push_back(bank.Freeze());
    if (added % 3 == 0 && !waiting.empty()) {
      const Frozen frozen = std::move(waiting.front());
      waiting.erase(waiting.begin());
      if (frozen.parts.empty()) continue;
      const PlacedPart& placed = frozen.parts[0];
      const PartSource source{placed.part.get(), placed.first_entry, placed.size};
      BuiltPart built;
      REQUIRE(BuildPart(
                  {&source, 1},
                  [&](std::uint32_t entry) { return frozen.living[entry - placed.first_entry]; },
                  frozen.facts, kTestWords, {}, built)
                  .ok());
      const Part* const old = placed.part.get();
      bank.ReplaceParts({&old, 1}, OpenImage(built.image), built.first_entry);
    }
    // A read for each append, at least, so that they do overlap on a busy machine.
    while (reads.load() < added / 2) std::this_thread::yield();
  }
  done.store(true);
  for (auto& reader : readers) reader.join();
  CHECK(wrong.load() == 0);
}

}  // namespace dentate::bank::test
