#include "bank/chunk_index.h"

#include <algorithm>
#include <atomic>

#include "atoms/calibrate.h"

namespace dentate::bank {
namespace {

constexpr double kMostShare = 0.15;    // of the chunks, in the largest atom
constexpr double kMostChunks = 9.6;    // in it, where that is more: the share of 64
constexpr double kAnyThreshold = 0.7;  // for a chunk or two
// Chunks of the same words are alike, however many there are: none would reach 1, for rounding.
constexpr double kMostThreshold = 0.9999;

}  // namespace

bool AllIn(const EntryMask& mask, std::span<const ChunkPiece> pieces) noexcept {
  return std::all_of(pieces.begin(), pieces.end(), [&](const ChunkPiece& piece) {
    return piece.entry < mask.size() && mask[piece.entry];
  });
}

ChunkIndex::ChunkIndex(const ChunkRows& rows, const EntryMask& current)
    : dimensions_(rows.dimensions), next_chunk_(rows.next_chunk), threshold_(rows.threshold) {
  if (dimensions_ == 0) return;
  const ChunkRows alive =
      KeptChunks(rows, [&](std::span<const ChunkPiece> pieces) { return AllIn(current, pieces); });
  const bool has_threshold = threshold_ != ChunkRows::kNoThreshold;
  atoms::Options options;
  options.dimensions = dimensions_;
  options.storage = atoms::Storage::kInt8;
  options.policy.threshold = has_threshold ? threshold_ : ThresholdOf(alive, alive.size());
  atoms_ = std::make_unique<atoms::AtomIndex>(options);

  // Those that have an atom come first, so that one that is made is none of theirs.
  std::vector<std::uint32_t> members(alive.size(), kNone);
  for (std::size_t i = 0; i < alive.size(); ++i) {
    if (alive.atoms[i] == kNone) continue;
    atoms_->AddAssigned(alive.ValuesOf(i), alive.atoms[i], members[i]);
  }
  for (std::size_t i = 0; i < alive.size(); ++i) {
    if (alive.atoms[i] != kNone) continue;
    atoms::Added added;
    if (!atoms_->AddRow(alive.ValuesOf(i), added)) continue;
    members[i] = added.member;
    if (has_threshold) moves_.push_back({alive.numbers[i], added.atom});
  }
  for (std::size_t i = 0; i < alive.size(); ++i) {
    PushSlot(alive.numbers[i], alive.PiecesOf(i), members[i]);
  }
}

std::uint64_t ChunkIndex::NextVersion() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void ChunkIndex::PushSlot(std::uint32_t number, std::span<const ChunkPiece> pieces,
                          std::uint32_t member) {
  if (member != kNone) {
    if (member >= slots_.size()) slots_.resize(std::size_t{member} + 1, kNone);
    slots_[member] = static_cast<std::uint32_t>(numbers_.size());
  }
  numbers_.push_back(number);
  members_.push_back(member);
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  piece_ends_.push_back(static_cast<std::uint32_t>(pieces_.size()));
  alive_.push_back(true);
  ++alive_count_;
  Mark(pieces);
}

void ChunkIndex::Mark(std::span<const ChunkPiece> pieces) {
  for (const ChunkPiece& piece : pieces) {
    if (piece.entry >= chunked_.size()) {
      // Doubled, since entries come one by one.
      chunked_.Grow(std::max(piece.entry + 1, 2 * chunked_.size()));
    }
    chunked_.Set(piece.entry);
  }
}

void ChunkIndex::Extend(const ChunkRows& rows) {
  version_ = NextVersion();
  next_chunk_ = std::max(next_chunk_, rows.next_chunk);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint32_t member = kNone;
    if (rows.atoms[i] != kNone) atoms_->AddAssigned(rows.ValuesOf(i), rows.atoms[i], member);
    PushSlot(rows.numbers[i], rows.PiecesOf(i), member);
  }
}

ChunkRows ChunkIndex::Cluster(const PlannedChunks& chunks, std::span<const std::int8_t> values) {
  ChunkRows rows;
  rows.dimensions = dimensions_;
  rows.next_chunk = next_chunk_;
  version_ = NextVersion();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto row = values.subspan(i * dimensions_, dimensions_);
    atoms::Added added;
    const bool joined = atoms_->AddRow(row, added);
    const std::uint32_t number = next_chunk_++;
    PushSlot(number, chunks.PiecesOf(i), joined ? added.member : kNone);
    rows.Push(number, joined ? added.atom : kNone, chunks.PiecesOf(i), row);
  }
  return rows;
}

void ChunkIndex::Sync(const EntryMask& current) {
  bool died = false;
  for (std::size_t slot = 0; slot < alive_.size(); ++slot) {
    if (!alive_[slot] || AllIn(current, PiecesOf(slot))) continue;
    alive_[slot] = false;
    --alive_count_;
    died = true;
    if (members_[slot] != kNone) atoms_->Remove(members_[slot]);
  }
  if (!died) return;
  version_ = NextVersion();
  // An entry may be in several chunks, some of which died of others.
  chunked_ = EntryMask(chunked_.size(), false);
  for (std::size_t slot = 0; slot < alive_.size(); ++slot) {
    if (alive_[slot]) Mark(PiecesOf(slot));
  }
}

std::size_t ChunkIndex::SizeInBytes() const noexcept {
  return sizeof *this +
         (numbers_.capacity() + members_.capacity() + piece_ends_.capacity() + slots_.capacity()) *
             sizeof(std::uint32_t) +
         pieces_.capacity() * sizeof(ChunkPiece) + alive_.capacity() / 8 +
         moves_.capacity() * sizeof(ChunkRows::Move) + chunked_.words().size() * 8 +
         (atoms_ == nullptr ? 0 : atoms_->SizeInBytes());
}

std::size_t ChunkIndex::StaleBytes() const noexcept {
  const std::size_t slots = numbers_.size();
  if (slots == 0) return 0;
  // Its numbers; and of pieces as many as a slot has.
  const std::size_t each = 4 * sizeof(std::uint32_t) + pieces_.size() * sizeof(ChunkPiece) / slots;
  return (slots - alive_count_) * each;
}

float ThresholdOf(const ChunkRows& rows, std::size_t most) {
  const std::size_t count = std::min(rows.size(), most);
  atoms::CalibrateOptions options;
  options.most_share =
      count == 0 ? 1
                 : std::min(1.0, std::max(kMostShare, kMostChunks / static_cast<double>(count)));
  double threshold = kAnyThreshold;
  // False where there are no pairs to measure: what comes decides.
  static_cast<void>(
      atoms::Calibrate(std::span(rows.values).first(count * std::size_t{rows.dimensions}),
                       rows.dimensions, options, threshold));
  return static_cast<float>(std::min(threshold, kMostThreshold));
}

}  // namespace dentate::bank
