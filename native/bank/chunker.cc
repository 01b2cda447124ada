#include "bank/chunker.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "text/token_breaks.h"

namespace dentate::bank {
namespace {

// Ends of sessions that are taken at a time: all entries without a chunk are looked at for them.
constexpr std::size_t kMostRests = 512;

class Chunker {
 public:
  Chunker(const Snapshot& snapshot, const EntryMask& chunked, const ChunkerOptions& options)
      : snapshot_(snapshot), chunked_(chunked), options_(options) {}

  // Takes all entries from `begin` on, or, which is false, until there are `most` chunks.
  bool Run(std::uint32_t begin, std::size_t most) {
    const auto current = snapshot_.current.words();
    const auto chunked = chunked_.words();
    for (std::size_t word = begin / 64; word < current.size(); ++word) {
      std::uint64_t bits = current[word];
      if (word < chunked.size()) bits &= ~chunked[word];
      if (word == begin / 64) bits &= ~std::uint64_t{0} << begin % 64;
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t entry = static_cast<std::uint32_t>(word * 64) +
                                    static_cast<std::uint32_t>(std::countr_zero(bits));
        CloseBefore(entry);
        if (planned_.size() >= most) return false;
        Take(entry);
        if (planned_.size() >= most) return false;
      }
    }
    CloseBefore(snapshot_.entry_count);
    return planned_.size() < most;
  }

  // What was taken and makes no full chunk: all of it, or what no turn will join any more, since
  // another one follows its last.
  void TakeRest(bool open_ones, std::size_t most) {
    // In the order of their entries, so that equal banks are chunked alike.
    std::vector<const Group*> rest;
    for (const auto& [session, group] : groups_) {
      if (!group.entries.empty()) rest.push_back(&group);
    }
    std::sort(rest.begin(), rest.end(), [](const Group* a, const Group* b) {
      return a->entries.front() < b->entries.front();
    });
    for (const Group* group : rest) {
      if (planned_.size() >= most) return;
      if (open_ones || snapshot_.Next(group->entries.back()) != kNone) Push(group->entries);
    }
  }

  PlannedChunks planned() && { return std::move(planned_); }

 private:
  // What there is so far of a session's next chunk.
  struct Group {
    std::vector<std::uint32_t> entries;
    std::uint64_t tokens = 0;
  };

  bool IsChunked(std::uint32_t entry) const noexcept {
    return entry < chunked_.size() && chunked_[entry];
  }

  // Ends the groups that were closed before there was this entry, in the order in which they were:
  // whoever looked then has made the same chunks, and given them the same numbers.
  void CloseBefore(std::uint32_t entry) {
    for (; next_last_ < lasts_.size(); ++next_last_) {
      const auto& [last, session] = lasts_[next_last_];
      if (entry - last <= kOpenReach) return;
      Group& group = groups_[session];
      // More may have joined it, or it was full.
      if (!group.entries.empty() && group.entries.back() == last) Flush(group);
    }
  }

  void Take(std::uint32_t entry) {
    const std::uint32_t session = snapshot_.SessionOf(entry);
    Group& group = groups_[session];
    const PlacedPart& placed = snapshot_.parts[snapshot_.PartOf(entry)];
    const std::uint32_t tokens = placed.part->TokenSpan(entry - placed.first_entry).size();
    const bool follows =
        !group.entries.empty() && snapshot_.Previous(entry) == group.entries.back();
    if (!follows || group.tokens + tokens > options_.tokens) Flush(group);
    if (tokens > options_.tokens) {
      PushPieces(placed, entry);
      return;
    }
    group.entries.push_back(entry);
    group.tokens += tokens;
    if (group.entries.size() == options_.turns) {
      Flush(group);
    } else {
      lasts_.emplace_back(entry, session);
    }
  }

  void Flush(Group& group) {
    Push(group.entries);
    group = Group();
  }

  void Push(const std::vector<std::uint32_t>& entries) {
    if (entries.empty()) return;
    for (const std::uint32_t entry : entries) planned_.pieces.push_back({entry, 0, kNone});
    planned_.EndChunk();
  }

  void PushPieces(const PlacedPart& placed, std::uint32_t entry) {
    const Interval32 span = placed.part->TokenSpan(entry - placed.first_entry);
    tokens_.resize(span.size());
    placed.part->Tokens(span.begin, span.end, tokens_.data());
    text::CutTokens(tokens_, text::O200kBaseBreaks(), options_.tokens, ends_);
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends_) {
      planned_.pieces.push_back({entry, begin, end});
      planned_.EndChunk();
      begin = end;
    }
  }

  const Snapshot& snapshot_;
  const EntryMask& chunked_;
  const ChunkerOptions options_;
  std::unordered_map<std::uint32_t, Group> groups_;  // by session
  // Entries that were a group's last, with their sessions, in their order; those before are done.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lasts_;
  std::size_t next_last_ = 0;
  PlannedChunks planned_;
  std::vector<std::uint32_t> tokens_, ends_;
};

}  // namespace

PlannedChunks PlanChunks(const Snapshot& snapshot, const EntryMask& chunked,
                         const ChunkerOptions& options, std::size_t most) {
  Chunker chunker(snapshot, chunked, options);
  // Only who has seen all of them knows which groups are at their session's end.
  if (chunker.Run(0, most)) chunker.TakeRest(false, std::max(most, kMostRests));
  return std::move(chunker).planned();
}

PlannedChunks PlanOpenChunks(const Snapshot& snapshot, const EntryMask& chunked,
                             const ChunkerOptions& options) {
  Chunker chunker(snapshot, chunked, options);
  const std::uint32_t count = snapshot.entry_count;
  const std::uint64_t window = std::uint64_t{kOpenReach} * std::max(kOpenTurns, options.turns);
  chunker.Run(count > window ? count - static_cast<std::uint32_t>(window) : 0, SIZE_MAX);
  chunker.TakeRest(true, SIZE_MAX);
  return std::move(chunker).planned();
}

}  // namespace dentate::bank
