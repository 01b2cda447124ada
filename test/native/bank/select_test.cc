// Selecting and reading entries, against the list of turns that a bank was made of.

#include "bank/select.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bank/bank_model.h"
#include "bank/read_entries.h"

namespace dentate::bank::test {
namespace {

const Sink kNoLog = [](std::span<const std::uint8_t>) { return Status::Ok(); };

// A bank of several parts, with updates, deletes, expiries and holes, and the model of it.
struct Filled {
  explicit Filled(std::uint32_t seed) : random(seed) {
    model.now = 100;
    for (int round = 0; round < 4; ++round) {
      std::vector<TestTurn> turns = random.MakeMany(random.Below(20), round);
      for (TestTurn& turn : turns) {
        turn.hole = random.Below(12) == 0;
        if (random.Below(6) == 0) turn.expires = random.Below(200);
        if (random.Below(5) == 0 && model.size() > 0) turn.origin = random.Below(model.size());
        if (turn.hole || (turn.origin != kNone && model.Versions(turn.origin).empty())) {
          turn.origin = kNone;
        }
        if (turn.hole) turn = Hole();
      }
      const OwnedBatch batch(turns);
      AppendResult result;
      REQUIRE(bank.Append(batch.View(), kNoLog, result).ok());
      for (const TestTurn& turn : turns) model.Push(turn);
      if (model.size() > 0) Delete(random.Below(model.size()));
      if (random.Below(2) == 0) {
        const Frozen frozen = bank.Freeze();
        CHECK(frozen.facts.next_entry == model.size());
      }
    }
  }

  static TestTurn Hole() {
    TestTurn turn;
    turn.hole = true;
    return turn;
  }

  void Delete(std::uint32_t entry) {
    std::uint32_t deleted = 0;
    REQUIRE(bank.Delete({&entry, 1}, kNoLog, deleted).ok());
    const std::uint32_t origin = model.OriginOf(entry);
    for (std::uint32_t i = 0; i < model.size(); ++i) {
      if (model.OriginOf(i) == origin) model.entries[i].deleted = true;
    }
  }

  std::vector<std::uint32_t> Current() const {
    std::vector<std::uint32_t> current;
    for (std::uint32_t i = 0; i < model.size(); ++i) {
      if (model.IsCurrent(i)) current.push_back(i);
    }
    return current;
  }

  RandomTurns random;
  Bank bank{BankSettings{kTestWords}, "bank", 1};
  BankModel model;
};

std::vector<std::uint32_t> ToList(const EntryMask& mask) {
  std::vector<std::uint32_t> entries;
  for (std::uint32_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) entries.push_back(i);
  }
  return entries;
}

template <typename Holds>
std::vector<std::uint32_t> Only(const std::vector<std::uint32_t>& entries, const Holds& holds) {
  std::vector<std::uint32_t> kept;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(kept), holds);
  return kept;
}

}  // namespace

TEST_CASE("select gives the current entries that all conditions hold for") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Filled filled(seed);
    const auto snapshot = filled.bank.Read(filled.model.now);
    const auto current = filled.Current();
    CHECK(ToList(Select(*snapshot, filled.bank, {})) == current);
    for (int round = 0; round < 20; ++round) {
      Selection selection;
      if (filled.random.Below(3) == 0) selection.roles = filled.random.Below(16);
      if (filled.random.Below(3) == 0) {
        selection.sessions.emplace();
        for (std::uint32_t i = filled.random.Below(4); i > 0; --i) {
          selection.sessions->push_back(TestSession(filled.random.Below(8)));
        }
      }
      if (filled.random.Below(3) == 0) {
        selection.speakers = {TestSpeaker(filled.random.Below(5)), "nobody"};
      }
      if (filled.random.Below(3) == 0) selection.at = TimeSpan{-100'000, 200'000};
      if (filled.random.Below(3) == 0) selection.ingested = TimeSpan{1, 3};
      if (filled.random.Below(3) == 0) {
        selection.origins.emplace();
        for (std::uint32_t i = filled.random.Below(8); i > 0; --i) {
          selection.origins->push_back(filled.random.Below(filled.model.size() + 5));
        }
      }
      const auto has = [](const auto& list, const auto& item) {
        return std::find(list.begin(), list.end(), item) != list.end();
      };
      const auto wanted = Only(current, [&](std::uint32_t entry) {
        const TestTurn& turn = filled.model.entries[entry].turn;
        return (!selection.roles || (*selection.roles >> turn.role & 1) != 0) &&
               (!selection.sessions || has(*selection.sessions, TestSession(turn.session))) &&
               (!selection.speakers ||
                (turn.speaker != kNone && has(*selection.speakers, TestSpeaker(turn.speaker)))) &&
               (!selection.at || selection.at->Holds(turn.at)) &&
               (!selection.ingested || selection.ingested->Holds(turn.ingested)) &&
               (!selection.origins || has(*selection.origins, filled.model.OriginOf(entry)));
      });
      CHECK(ToList(Select(*snapshot, filled.bank, selection)) == wanted);
    }
  }
}

TEST_CASE("the latest come in the order of their time, those of one moment newest first") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Filled filled(seed);
    const auto snapshot = filled.bank.Read(filled.model.now);
    auto wanted = filled.Current();
    std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto at = [&](std::uint32_t i) { return filled.model.entries[i].turn.at; };
      return at(a) != at(b) ? at(a) > at(b) : a > b;
    });
    CHECK(Latest(*snapshot, snapshot->current, 1000) == wanted);
    wanted.resize(std::min<std::size_t>(wanted.size(), 3));
    CHECK(Latest(*snapshot, snapshot->current, 3) == wanted);
    CHECK(Latest(*snapshot, EntryMask(snapshot->entry_count, false), 3).empty());
    CHECK(Latest(*snapshot, snapshot->current, 0).empty());
  }
}

TEST_CASE("day runs cover the current entries, each on its day") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Filled filled(seed);
    const auto snapshot = filled.bank.Read(filled.model.now);
    std::map<std::uint32_t, std::int32_t> days;
    std::uint32_t end = 0;
    for (const DayRun& run : DayRuns(*snapshot)) {
      CHECK(run.begin >= end);
      end = run.end;
      for (std::uint32_t i = run.begin; i < run.end; ++i) days[i] = run.day;
    }
    for (const std::uint32_t entry : filled.Current()) {
      const double day =
          std::floor(static_cast<double>(filled.model.entries[entry].turn.at) / 86.4e6);
      REQUIRE(days.contains(entry));
      CHECK(days[entry] == static_cast<std::int32_t>(day));
    }
  }
}

TEST_CASE("entries are read as they were added, and counted") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Filled filled(seed);
    const auto snapshot = filled.bank.Read(filled.model.now);
    auto entries = filled.Current();
    std::reverse(entries.begin(), entries.end());
    entries.push_back(filled.model.size() + 3);  // nobody's
    const EntryColumns columns = ReadEntries(*snapshot, filled.bank, entries);
    const ExtrasColumn extras = ReadExtras(*snapshot, entries);
    const auto counts = TokenCounts(*snapshot, entries);
    std::set<std::uint32_t> sessions;
    std::uint64_t tokens = 0;
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
      const TestTurn& turn = filled.model.entries[entries[i]].turn;
      const auto slice = [i](const auto& values, const auto& offsets) {
        return std::vector(values.begin() + offsets[i], values.begin() + offsets[i + 1]);
      };
      CHECK(slice(columns.tokens, columns.token_offsets) == turn.tokens);
      CHECK(slice(columns.extras, columns.extras_offsets) == turn.extras);
      CHECK(slice(extras.bytes, extras.offsets) == turn.extras);
      CHECK(counts[i] == turn.tokens.size());
      CHECK(columns.roles[i] == turn.role);
      CHECK(columns.at[i] == static_cast<double>(turn.at));
      CHECK(columns.ingested[i] == static_cast<double>(turn.ingested));
      CHECK(columns.expires[i] ==
            (turn.expires == kNever ? HUGE_VAL : static_cast<double>(turn.expires)));
      CHECK(columns.origins[i] == filled.model.OriginOf(entries[i]));
      CHECK(columns.session_names[columns.sessions[i]] == TestSession(turn.session));
      CHECK((columns.speakers[i] == kNone) == (turn.speaker == kNone));
      if (turn.speaker != kNone) {
        CHECK(columns.speaker_names[columns.speakers[i]] == TestSpeaker(turn.speaker));
      }
      sessions.insert(turn.session);
      tokens += turn.tokens.size();
    }
    CHECK(columns.sessions.back() == kNone);
    CHECK(counts.back() == 0);
    CHECK(columns.session_names.size() == sessions.size());
    CHECK(CountSessions(*snapshot) == sessions.size());
    CHECK(CountTokens(*snapshot) == tokens);
  }
}

TEST_CASE("sessions come with what their current entries are, in the order of the first ones") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Filled filled(seed);
    const auto snapshot = filled.bank.Read(filled.model.now);
    std::vector<std::string> order;
    std::map<std::string, SessionSize> wanted;
    for (const std::uint32_t entry : filled.Current()) {
      const TestTurn& turn = filled.model.entries[entry].turn;
      const std::string name = TestSession(turn.session);
      const auto [found, is_new] = wanted.try_emplace(name, SessionSize{0, 0, 0, turn.at, turn.at});
      if (is_new) order.push_back(name);
      SessionSize& size = found->second;
      ++size.entries;
      size.tokens += turn.tokens.size();
      size.first = std::min(size.first, turn.at);
      size.last = std::max(size.last, turn.at);
    }
    const std::vector<SessionSize> sizes = ListSessions(*snapshot);
    REQUIRE(sizes.size() == order.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      CHECK(snapshot->names->sessions.table().Name(sizes[i].session) == order[i]);
      const SessionSize& size = wanted.at(order[i]);
      CHECK(sizes[i].entries == size.entries);
      CHECK(sizes[i].tokens == size.tokens);
      CHECK(sizes[i].first == size.first);
      CHECK(sizes[i].last == size.last);
    }
  }
}

TEST_CASE("the current version is found by the number of the first one only") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Filled filled(seed);
    const auto snapshot = filled.bank.Read(filled.model.now);
    std::vector<std::uint32_t> numbers(filled.model.size() + 2);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    const auto newest = CurrentVersions(*snapshot, filled.bank, numbers);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) {
      std::uint32_t wanted = kNone;
      for (const std::uint32_t entry : filled.Current()) {
        if (filled.model.OriginOf(entry) == i) wanted = entry;
      }
      CHECK(newest[i] == wanted);
    }
  }
}

}  // namespace dentate::bank::test
