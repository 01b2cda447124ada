// What the store's tests share: turns to add, and the whole of a store as plain data, to compare.

#ifndef DENTATE_TEST_NATIVE_STORE_STORE_WORLD_H_
#define DENTATE_TEST_NATIVE_STORE_STORE_WORLD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "bank/chunk_due.h"
#include "bank/random_batches.h"
#include "bank/snapshot.h"
#include "store/store.h"

namespace dentate::store::test {

using bank::test::OwnedBatch;
using bank::test::RandomTurns;
using bank::test::TestTurn;

inline constexpr std::int64_t kNow = INT64_C(1'800'000'000'000);

// An entry as a reader sees it.
struct SeenEntry {
  std::uint32_t number = 0, origin = 0;
  std::string session, speaker;
  std::uint8_t role = 0;
  std::int64_t at = 0, ingested = 0, expires = 0;
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint64_t> stems;  // of its codes
  std::vector<std::uint8_t> extras;
  std::uint32_t recalls = 0;
  bool current = false;
  bool operator==(const SeenEntry&) const = default;
};

// A chunk as a search sees it; without its atom while the bank has no threshold. Its atom goes by
// its first chunk: the number of one whose chunks have all died may be given again once that is
// forgotten.
struct SeenChunk {
  std::uint32_t number = 0, atom = bank::kNone;
  std::vector<bank::ChunkPiece> pieces;
  std::vector<float> vector;
  bool operator==(const SeenChunk&) const = default;
};

// All that is living in a bank, in order.
struct SeenBank {
  std::uint32_t next_entry = 0;
  std::vector<SeenEntry> entries;
  std::vector<SeenChunk> chunks;
  bool operator==(const SeenBank&) const = default;
};

// By name; banks that have never been given an entry are left out.
using SeenStore = std::map<std::string, SeenBank>;

inline std::vector<SeenChunk> SeeChunks(const bank::Bank& bank) {
  std::vector<SeenChunk> seen;
  std::map<std::uint32_t, std::uint32_t> first_of;
  const Status status = bank.chunks().Use([&](const bank::ChunkIndex& index) {
    for (std::size_t slot = 0; slot < index.slot_count(); ++slot) {
      if (!index.IsAlive(slot)) continue;
      SeenChunk chunk;
      chunk.number = index.number(slot);
      const auto pieces = index.PiecesOf(slot);
      chunk.pieces.assign(pieces.begin(), pieces.end());
      if (index.member(slot) != bank::kNone) {
        chunk.vector.resize(index.dimensions());
        index.atoms()->VectorOf(index.member(slot), chunk.vector);
        if (index.threshold() != bank::ChunkRows::kNoThreshold) {
          std::uint32_t atom = bank::kNone;
          index.atoms()->AtomOf(index.member(slot), atom);
          chunk.atom = first_of.emplace(atom, chunk.number).first->second;
        }
      }
      seen.push_back(std::move(chunk));
    }
    return Status::Ok();
  });
  if (!status.ok()) seen.push_back({});  // a chunk that there is nowhere
  return seen;
}

inline SeenBank See(const bank::Bank& bank, std::int64_t now = kNow) {
  SeenBank seen;
  seen.chunks = SeeChunks(bank);
  const auto all = bank.ReadAll();
  const auto current = bank.Read(now);
  seen.next_entry = bank.next_entry();
  for (const bank::PlacedPart& placed : all->parts) {
    for (std::uint32_t i = 0; i < placed.size; ++i) {
      const bank::Part& part = *placed.part;
      SeenEntry entry;
      entry.number = placed.first_entry + i;
      if (!all->current[entry.number]) continue;
      const bank::EntryRow row = part.Row(i);
      entry.origin = bank.OriginOf(entry.number);
      entry.session = part.SessionName(row.session);
      if (row.speaker != bank::kNone) entry.speaker = part.SpeakerName(row.speaker);
      entry.role = row.role;
      entry.at = row.at;
      entry.ingested = row.ingested;
      entry.expires = bank.ExpiresAt(entry.number);
      const bank::Interval32 tokens = part.TokenSpan(i);
      entry.tokens.resize(tokens.size());
      part.Tokens(tokens.begin, tokens.end, entry.tokens.data());
      const bank::Interval32 span = part.CodeSpan(i);
      std::vector<std::uint32_t> codes;
      part.Codes(span.begin, span.end, codes, nullptr);
      for (const std::uint32_t code : codes) entry.stems.push_back(part.Stem(code));
      part.AppendExtras(i, entry.extras);
      const std::uint32_t number[] = {entry.number};
      entry.recalls = bank.Strengths(number)[0].recalls;
      entry.current = current->current[entry.number];
      seen.entries.push_back(std::move(entry));
    }
  }
  return seen;
}

inline Status See(const Store& store, SeenStore& seen) {
  seen.clear();
  for (const std::string& name : store.BankNames()) {
    std::shared_ptr<const bank::Bank> bank;
    Status status = store.Bank(name).Load(bank);
    if (!status.ok()) return status;
    if (bank != nullptr) seen[name] = See(*bank);
  }
  return Status::Ok();
}

// The first thing in which they differ, for people; empty where they are equal.
inline std::string Difference(const SeenStore& a, const SeenStore& b) {
  for (const auto& [name, bank] : a) {
    const auto found = b.find(name);
    if (found == b.end()) return "only one has " + name;
    const SeenBank& other = found->second;
    const std::string in = " in " + name;
    if (bank.next_entry != other.next_entry) {
      return "next entry " + std::to_string(bank.next_entry) + " and " +
             std::to_string(other.next_entry) + in;
    }
    if (bank.entries.size() != other.entries.size()) {
      return std::to_string(bank.entries.size()) + " and " + std::to_string(other.entries.size()) +
             " entries" + in;
    }
    if (bank.chunks != other.chunks) {
      std::ostringstream what;
      what << "chunks" << in << ":";
      for (const SeenBank* each : {&bank, &other}) {
        for (const SeenChunk& chunk : each->chunks) {
          what << ' ' << chunk.number << '@' << chunk.atom << '(' << chunk.pieces[0].entry << ')';
        }
        if (each == &bank) what << " and";
      }
      return what.str();
    }
    for (std::size_t i = 0; i < bank.entries.size(); ++i) {
      const SeenEntry& x = bank.entries[i];
      const SeenEntry& y = other.entries[i];
      if (x == y) continue;
      const char* what = x.number != y.number     ? "number"
                         : x.origin != y.origin   ? "origin"
                         : x.session != y.session ? "session"
                         : x.speaker != y.speaker ? "speaker"
                         : x.tokens != y.tokens   ? "tokens"
                         : x.stems != y.stems     ? "codes"
                         : x.extras != y.extras   ? "extras"
                         : x.expires != y.expires ? "expiry"
                         : x.recalls != y.recalls ? "recalls"
                         : x.current != y.current ? "currency"
                                                  : "row";
      return std::string(what) + " of entry " + std::to_string(x.number) + in;
    }
  }
  return a.size() == b.size() ? "" : "one has more banks";
}

inline Status Add(const Store& store, const std::string& bank, const std::vector<TestTurn>& turns,
                  bank::AppendResult* result = nullptr) {
  const OwnedBatch batch(turns);
  bank::AppendResult ignored;
  std::uint64_t sequence = 0;
  return store.Bank(bank).Append(batch.View(), result == nullptr ? ignored : *result, sequence);
}

inline constexpr std::uint32_t kChunkDimensions = 8;

// Of a chunk: the same for the same pieces, and a few directions in all. Some say nothing.
inline std::vector<float> VectorFor(std::span<const bank::ChunkPiece> pieces) {
  std::vector<float> vector(kChunkDimensions);
  const std::uint32_t kind = pieces[0].entry % 7;
  if (kind == 6) return vector;
  vector[kind] = 1;
  vector[7] = static_cast<float>(pieces.size()) / 8;
  return vector;
}

// Records what is due, as an indexer does; `sequence` 0: nothing.
inline Status Index(const Store& store, const std::string& name, std::size_t most, float threshold,
                    std::uint64_t& sequence) {
  sequence = 0;
  std::shared_ptr<const bank::Bank> loaded;
  Status status = store.Bank(name).Load(loaded);
  if (!status.ok() || loaded == nullptr) return status;
  bank::PlannedChunks due;
  status = bank::FindDueChunks(*loaded, *loaded->Read(kNow), {3, 20}, most, due);
  if (!status.ok() || due.size() == 0) return status;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < due.size(); ++i) {
    const std::vector<float> vector = VectorFor(due.PiecesOf(i));
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  bank::NewChunks chunks = bank::WithVectors(std::move(due), vectors, kChunkDimensions);
  chunks.incarnation = loaded->incarnation();
  chunks.threshold = threshold;
  return store.Bank(name).AppendChunks(chunks, sequence);
}

}  // namespace dentate::store::test

#endif  // DENTATE_TEST_NATIVE_STORE_STORE_WORLD_H_
