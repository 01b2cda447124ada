// A bank as a list of turns, to compare the real one with.

#ifndef DENTATE_TEST_NATIVE_BANK_BANK_MODEL_H_
#define DENTATE_TEST_NATIVE_BANK_BANK_MODEL_H_

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "bank/bank.h"
#include "bank/random_batches.h"

namespace dentate::bank::test {

struct ModelEntry {
  TestTurn turn;
  bool deleted = false;  // or a hole
  std::uint32_t recalls = 0;
  std::int64_t last = 0;
};

class BankModel {
 public:
  std::vector<ModelEntry> entries;
  std::int64_t now = 0;

  std::uint32_t size() const { return static_cast<std::uint32_t>(entries.size()); }

  void Push(const TestTurn& turn) {
    entries.push_back({turn, turn.hole, 0, 0});
    std::uint32_t& origin = entries.back().turn.origin;
    if (origin != kNone) origin = OriginOf(origin);
  }

  std::uint32_t OriginOf(std::uint32_t entry) const {
    const std::uint32_t origin = entries[entry].turn.origin;
    return origin == kNone ? entry : origin;
  }
  std::vector<std::uint32_t> Versions(std::uint32_t entry) const {
    std::vector<std::uint32_t> versions;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (!entries[i].deleted && OriginOf(i) == OriginOf(entry)) versions.push_back(i);
    }
    return versions;
  }
  bool IsCurrent(std::uint32_t entry) const {
    const auto versions = Versions(entry);
    return !entries[entry].deleted && versions.back() == entry && entries[entry].turn.expires > now;
  }
  bool IsCurrentAsOf(std::uint32_t entry, std::int64_t as_of) const {
    const auto versions = Versions(entry);
    if (entries[entry].deleted || entries[versions.back()].turn.expires <= now) return false;
    std::uint32_t newest = kNone;
    for (const std::uint32_t version : versions) {
      if (entries[version].turn.ingested <= as_of) newest = version;
    }
    return newest == entry;
  }
  // The entry that a turn equals, or kNone.
  bool HasDuplicate(const TestTurn& turn) const {
    if (turn.hole || turn.origin != kNone) return false;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (IsCurrent(i) && entries[i].turn.SameContent(turn)) return true;
    }
    return false;
  }
};

// That the part's words are those of the turn.
inline void CheckEntry(const Part& part, std::uint32_t local, const TestTurn& turn) {
  const EntryRow row = part.Row(local);
  REQUIRE(row.session != kNone);
  CHECK(part.SessionName(row.session) == TestSession(turn.session));
  REQUIRE((row.speaker == kNone) == (turn.speaker == kNone));
  if (row.speaker != kNone) {
    CHECK(part.SpeakerName(row.speaker) == TestSpeaker(turn.speaker));
    REQUIRE(part.speaker_word_count(row.speaker) == turn.speaker % 3);
    for (std::uint32_t word = 0; word < turn.speaker % 3; ++word) {
      CHECK(part.SpeakerWordStem(row.speaker, word) == OwnedBatch::SpeakerStem(turn.speaker, word));
      std::vector<std::uint32_t> pieces;
      part.SpeakerWordPieces(row.speaker, word, pieces);
      CHECK(pieces.size() == word);
      for (std::uint32_t i = 0; i < pieces.size(); ++i) CHECK(pieces[i] == turn.speaker + i);
    }
  }
  CHECK(row.role == turn.role);
  CHECK(row.at == turn.at);
  CHECK(row.ingested == turn.ingested);
  const Interval32 span = part.TokenSpan(local);
  std::vector<std::uint32_t> tokens(span.size());
  part.Tokens(span.begin, span.end, tokens.data());
  CHECK(tokens == turn.tokens);
  std::vector<std::uint8_t> extras;
  part.AppendExtras(local, extras);
  CHECK(extras == turn.extras);

  const Interval32 code_span = part.CodeSpan(local);
  std::vector<std::uint32_t> codes, code_tokens;
  part.Codes(code_span.begin, code_span.end, codes, &code_tokens);
  REQUIRE(codes.size() == turn.codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    TestCode code;
    code.word.signature.resize(part.signature_words());
    part.Signature(codes[i], code.word.signature.data());
    code.word.stem = part.Stem(codes[i]);
    part.Pieces(codes[i], code.word.pieces);
    code.token = code_tokens[i] - span.begin;
    CHECK(code == turn.codes[i]);
    std::uint32_t count = 0;
    part.CountIn({&codes[i], 1}, code_span, &count);
    CHECK(count == static_cast<std::uint32_t>(std::count(codes.begin(), codes.end(), codes[i])));
  }
}

// That sweeps find exactly the entries that hold a code, among the living of a part.
inline void CheckSweeps(const PlacedPart& placed, const BankModel& model) {
  const Part& part = *placed.part;
  for (std::uint32_t code = 0; code < part.code_count(); ++code) {
    TestWord word;
    word.signature.resize(part.signature_words());
    part.Signature(code, word.signature.data());
    word.stem = part.Stem(code);
    part.Pieces(code, word.pieces);
    std::vector<std::uint32_t> expected, found, some(1 + code % 5);
    for (std::uint32_t i = 0; i < placed.size; ++i) {
      const ModelEntry& entry = model.entries[placed.first_entry + i];
      if (!entry.deleted && std::any_of(entry.turn.codes.begin(), entry.turn.codes.end(),
                                        [&](const TestCode& c) { return c.word == word; })) {
        expected.push_back(i);
      }
    }
    Part::Sweep sweep;
    for (std::size_t n; (n = part.EntriesOf(code, placed.size, sweep, some)) > 0;) {
      for (std::size_t i = 0; i < n; ++i) {
        if (found.empty() || found.back() != some[i]) found.push_back(some[i]);
      }
    }
    CHECK(std::is_sorted(found.begin(), found.end()));
    CHECK(found.size() <= part.EntriesWith(code));
    std::erase_if(found,
                  [&](std::uint32_t i) { return model.entries[placed.first_entry + i].deleted; });
    CHECK(found == expected);
    CHECK(part.OccurrencesOf(code) >= expected.size());
  }
}

inline void CheckSnapshot(const Snapshot& snapshot, const BankModel& model,
                          const std::vector<bool>& current) {
  REQUIRE(snapshot.entry_count == model.size());
  REQUIRE(snapshot.current.size() == model.size());
  std::map<std::uint32_t, std::vector<std::uint32_t>> sessions;  // current entries, by name
  for (std::uint32_t entry = 0; entry < model.size(); ++entry) {
    CHECK(snapshot.current[entry] == current[entry]);
    const TestTurn& turn = model.entries[entry].turn;
    if (current[entry]) sessions[turn.session].push_back(entry);
    const std::size_t part = snapshot.PartOf(entry);
    if (model.entries[entry].deleted) continue;
    REQUIRE(part < snapshot.parts.size());
    const PlacedPart& placed = snapshot.parts[part];
    CheckEntry(*placed.part, entry - placed.first_entry, turn);
    const auto& names = *snapshot.names;
    CHECK(names.sessions.table().Name(snapshot.SessionOf(entry)) == TestSession(turn.session));
    CHECK(names.sessions.LocalIn(static_cast<std::uint32_t>(part), snapshot.SessionOf(entry)) ==
          placed.part->Row(entry - placed.first_entry).session);
    if (turn.speaker == kNone) {
      CHECK(snapshot.SpeakerOf(entry) == kNone);
    } else {
      CHECK(names.speakers.table().Name(snapshot.SpeakerOf(entry)) == TestSpeaker(turn.speaker));
    }
  }
  for (const auto& [session, entries] : sessions) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      CHECK(snapshot.Previous(entries[i]) == (i == 0 ? kNone : entries[i - 1]));
      CHECK(snapshot.Next(entries[i]) == (i + 1 == entries.size() ? kNone : entries[i + 1]));
    }
    std::vector<std::uint32_t> listed;
    const std::uint32_t number = snapshot.names->sessions.table().Find(TestSession(session));
    snapshot.EntriesOfSession(number, listed);
    CHECK(listed == entries);
  }
  for (const PlacedPart& placed : snapshot.parts) {
    CHECK(placed.size > 0);
    CheckSweeps(placed, model);
    for (std::uint32_t i = 0; i < placed.size; ++i) {
      const std::uint32_t begin = placed.part->RunBegin(i);
      const std::uint32_t session = placed.part->Row(i).session;
      for (std::uint32_t k = begin; k <= i; ++k) CHECK(placed.part->Row(k).session == session);
      if (session == kNone) continue;
      CHECK((begin == 0 || placed.part->Row(begin - 1).session != session));
      CHECK(placed.part->LastOfSession(session, i + 1) == i);
    }
  }
}

inline void CheckBank(const Bank& bank, const BankModel& model) {
  REQUIRE(bank.next_entry() == model.size());
  std::vector<bool> current, living, as_of;
  std::vector<std::uint32_t> expired, superseded;
  const std::int64_t then = model.now * 2 / 3;
  for (std::uint32_t entry = 0; entry < model.size(); ++entry) {
    current.push_back(model.IsCurrent(entry));
    living.push_back(!model.entries[entry].deleted);
    as_of.push_back(model.IsCurrentAsOf(entry, then));
    const auto versions = model.Versions(entry);
    // What an erased version was one of need not be known; an origin is its turn's id.
    if (living[entry] || model.OriginOf(entry) == entry) {
      CHECK(bank.Versions(entry) == versions);
      CHECK(bank.Newest(entry) == (versions.empty() ? kNone : versions.back()));
    }
    if (!living[entry]) continue;
    CHECK(bank.OriginOf(entry) == model.OriginOf(entry));
    CHECK(bank.ExpiresAt(entry) == model.entries[entry].turn.expires);
    if (versions.back() != entry) superseded.push_back(entry);
    if (versions.back() == entry && model.entries[entry].turn.expires <= model.now) {
      expired.push_back(entry);
    }
    const PartFacts::Strength strength = bank.Strengths({&entry, 1})[0];
    CHECK(strength.recalls == model.entries[entry].recalls);
    CHECK(strength.last == model.entries[entry].last);
  }
  CHECK(bank.Expired(model.now) == expired);
  CHECK(bank.Superseded() == superseded);
  CheckSnapshot(*bank.Read(model.now), model, current);
  CheckSnapshot(*bank.ReadAll(), model, living);
  CheckSnapshot(*bank.ReadAsOf(model.now, then), model, as_of);
}

}  // namespace dentate::bank::test

#endif  // DENTATE_TEST_NATIVE_BANK_BANK_MODEL_H_
