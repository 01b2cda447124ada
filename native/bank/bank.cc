#include "bank/bank.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

#include "bank/live_part.h"
#include "core/heap_block.h"

namespace dentate::bank {
namespace {

std::uint64_t NextGeneration() noexcept {
  static std::atomic<std::uint64_t> generation{1};
  return generation.fetch_add(1, std::memory_order_relaxed);
}

// Has the chain say all names of its part number `part`; it may know some already.
template <typename NameOf>
void CompletePart(NameChains& chains, std::uint32_t part, std::uint32_t count, NameOf name_of) {
  if (part == chains.part_count()) chains.BeginPart();
  for (std::uint32_t i = chains.local_count(part); i < count; ++i) chains.Add(name_of(i));
}

void CopyPart(const NameChains& from, std::uint32_t from_part, NameChains& to) {
  to.BeginPart();
  for (std::uint32_t i = 0; i < from.local_count(from_part); ++i) {
    to.AddNumber(from.NumberOf(from_part, i));
  }
}

}  // namespace

Bank::Bank(const BankSettings& settings, std::string name, std::uint64_t incarnation)
    : settings_(settings),
      name_(std::move(name)),
      incarnation_(incarnation),
      generation_(NextGeneration()),
      sessions_(std::make_shared<NameTable>()),
      speakers_(std::make_shared<NameTable>()),
      chunks_({[this] {
                 const std::lock_guard lock(mutex_);
                 return facts_.losses();
               },
               [this](EntryMask& mask) {
                 const std::lock_guard lock(mutex_);
                 mask = facts_.current();
                 return facts_.losses();
               }}) {}

Bank::~Bank() = default;

void Bank::Changed() const noexcept {
  cached_.reset();
  generation_.store(NextGeneration(), std::memory_order_release);
}

// --- parts

Status Bank::AddSealed(std::shared_ptr<const Part> part, std::uint32_t first_entry,
                       const PartFacts& facts) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t next = next_entry_.load(std::memory_order_relaxed);
  const std::uint32_t size = part == nullptr ? 0 : part->entry_count();
  if (live_ != nullptr || first_unfrozen_ != parts_.size()) {
    return Status(ErrorCode::kInternal, "a sealed part comes after records");
  }
  if (size > 0 &&
      (first_entry < next || size > facts.next_entry || first_entry > facts.next_entry - size ||
       part->signature_words() != settings_.signature_words)) {
    return Status(ErrorCode::kCorruption, "a sealed part is not the one that follows");
  }
  if (facts.next_entry < next) {
    return Status(ErrorCode::kCorruption, "a sealed part gives numbers back");
  }
  if (size > 0) {
    facts_.AddRows(first_entry, first_entry + size);
    parts_.push_back({std::move(part), first_entry, size});
    first_unfrozen_ = parts_.size();
  }
  facts_.AddFacts(facts);
  next_entry_.store(facts.next_entry, std::memory_order_release);
  Changed();
  return Status::Ok();
}

LivePart& Bank::Live() {
  if (live_ == nullptr) {
    auto live = std::make_shared<LivePart>(settings_.signature_words);
    const std::lock_guard lock(mutex_);
    live_first_ = next_entry();
    live_ = std::move(live);
  }
  return *live_;
}

// The live part stays to be searched; the next append begins another one.
void Bank::EndLivePart() {
  if (!has_live_rows()) return;  // one without rows goes on
  const std::lock_guard lock(mutex_);
  parts_.push_back({live_, live_first_, live_->entry_count()});
  live_ = nullptr;
}

bool Bank::has_live_rows() const noexcept { return live_ != nullptr && live_->entry_count() > 0; }

bool Bank::needs_freeze() const noexcept { return live_ != nullptr && live_->NearlyFull(); }

Frozen Bank::Freeze() {
  EndLivePart();
  Frozen frozen;
  const std::lock_guard lock(mutex_);
  frozen.parts.assign(parts_.begin() + static_cast<std::ptrdiff_t>(first_unfrozen_), parts_.end());
  if (!frozen.parts.empty()) {
    const std::uint32_t first = frozen.parts.front().first_entry;
    const std::uint32_t end = frozen.parts.back().first_entry + frozen.parts.back().size;
    frozen.living = EntryMask(end - first, false);
    for (std::uint32_t entry = first; entry < end; ++entry) {
      if (facts_.IsLiving(entry)) frozen.living.Set(entry - first);
    }
  }
  frozen.facts = facts_.TakePending(next_entry());
  frozen.chunks = chunks_.Freeze();
  if (frozen.chunks != nullptr) frozen.current = facts_.current();
  first_unfrozen_ = parts_.size();
  return frozen;
}

void Bank::ReplaceParts(std::span<const Part* const> old, std::shared_ptr<const Part> part,
                        std::uint32_t first_entry) {
  if (old.empty()) return;
  const std::uint32_t size = part == nullptr ? 0 : part->entry_count();
  std::vector<PlacedPart> parts;
  parts.reserve(parts_.size() + 1);
  std::size_t at = 0;
  while (at < parts_.size() && parts_[at].part.get() != old[0]) ++at;
  assert(parts_.size() - at >= old.size());
  parts.assign(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(at));
  if (size > 0) parts.push_back({std::move(part), first_entry, size});
  const std::size_t rest = at + old.size();
  parts.insert(parts.end(), parts_.begin() + static_cast<std::ptrdiff_t>(rest), parts_.end());

  const std::lock_guard lock(mutex_);
  std::shared_ptr<BankNames> names;
  if (names_ != nullptr) {
    NameParts();
    names = std::make_shared<BankNames>(sessions_, speakers_);
    const auto copy = [&](std::size_t from) {
      const auto index = static_cast<std::uint32_t>(from);
      if (index < names_->sessions.part_count()) CopyPart(names_->sessions, index, names->sessions);
      if (index < names_->speakers.part_count()) CopyPart(names_->speakers, index, names->speakers);
    };
    for (std::size_t i = 0; i < at; ++i) copy(i);
    if (size > 0) {
      const Part& sealed = *parts[at].part;
      const auto index = static_cast<std::uint32_t>(at);
      CompletePart(names->sessions, index, sealed.session_count(),
                   [&](std::uint32_t i) { return sealed.SessionName(i); });
      CompletePart(names->speakers, index, sealed.speaker_count(),
                   [&](std::uint32_t i) { return sealed.SpeakerName(i); });
    }
    for (std::size_t i = rest; i < parts_.size() + 1; ++i) copy(i);  // the live one too
  }
  // What follows cannot fail.
  first_unfrozen_ -= parts_.size() - parts.size();
  parts_.swap(parts);
  names_ = std::move(names);
  Changed();
}

// --- reading

void Bank::NameParts() const {
  if (names_ == nullptr) names_ = std::make_shared<BankNames>(sessions_, speakers_);
  const auto complete = [this](std::size_t index, const Part& part) {
    const auto number = static_cast<std::uint32_t>(index);
    CompletePart(names_->sessions, number, part.session_count(),
                 [&](std::uint32_t i) { return part.SessionName(i); });
    CompletePart(names_->speakers, number, part.speaker_count(),
                 [&](std::uint32_t i) { return part.SpeakerName(i); });
  };
  // All but the last that is begun are complete.
  const std::uint32_t begun =
      std::min(names_->sessions.part_count(), names_->speakers.part_count());
  for (std::size_t i = begun == 0 ? 0 : begun - 1; i < parts_.size(); ++i) {
    complete(i, *parts_[i].part);
  }
  if (live_ != nullptr) complete(parts_.size(), *live_);
}

std::shared_ptr<Snapshot> Bank::NewSnapshot(EntryMask mask) const {
  NameParts();
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->parts.reserve(parts_.size() + 1);
  snapshot->parts = parts_;
  snapshot->entry_count = next_entry();
  // Rows that the writer has just published count when next_entry says so.
  const std::uint32_t live_size = live_ == nullptr ? 0 : snapshot->entry_count - live_first_;
  if (live_size > 0) snapshot->parts.push_back({live_, live_first_, live_size});
  snapshot->current = std::move(mask);
  snapshot->names = names_;
  return snapshot;
}

std::shared_ptr<const Snapshot> Bank::Read(std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  if (facts_.Expire(now)) Changed();
  if (cached_ == nullptr) cached_ = NewSnapshot(EntryMask(facts_.current(), next_entry()));
  return cached_;
}

std::shared_ptr<const Snapshot> Bank::ReadAll() const {
  const std::lock_guard lock(mutex_);
  return NewSnapshot(EntryMask(facts_.living(), next_entry()));
}

std::shared_ptr<const Snapshot> Bank::ReadAsOf(std::int64_t now, std::int64_t as_of) const {
  std::shared_ptr<Snapshot> snapshot;
  std::vector<std::vector<std::uint32_t>> turns;  // of several versions, oldest first
  {
    const std::lock_guard lock(mutex_);
    EntryMask mask(facts_.living(), next_entry());
    for (const std::uint32_t entry : facts_.Expired(now)) {
      for (const std::uint32_t version : facts_.VersionsOf(entry)) mask.Clear(version);
    }
    for (const auto& turn : facts_.turns()) turns.push_back(facts_.VersionsOf(turn.first));
    snapshot = NewSnapshot(std::move(mask));
  }
  EntryMask& mask = snapshot->current;
  for (const PlacedPart& placed : snapshot->parts) {
    for (std::uint32_t i = 0; i < placed.size; ++i) {
      const std::uint32_t entry = placed.first_entry + i;
      if (mask[entry] && placed.part->Row(i).ingested > as_of) mask.Clear(entry);
    }
  }
  for (const std::vector<std::uint32_t>& versions : turns) {
    bool newer = false;
    for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
      if (*version >= mask.size() || !mask[*version]) continue;
      if (newer) mask.Clear(*version);
      newer = true;
    }
  }
  return snapshot;
}

std::uint32_t Bank::OriginOf(std::uint32_t entry) const {
  const std::lock_guard lock(mutex_);
  return facts_.OriginOf(entry);
}

std::vector<std::uint32_t> Bank::Versions(std::uint32_t entry) const {
  const std::lock_guard lock(mutex_);
  return facts_.VersionsOf(entry);
}

std::uint32_t Bank::Newest(std::uint32_t entry) const {
  const std::lock_guard lock(mutex_);
  return facts_.Newest(entry);
}

std::int64_t Bank::ExpiresAt(std::uint32_t entry) const {
  const std::lock_guard lock(mutex_);
  return facts_.ExpiresAt(entry);
}

std::vector<PartFacts::Strength> Bank::Strengths(std::span<const std::uint32_t> entries) const {
  std::vector<PartFacts::Strength> strengths;
  strengths.reserve(entries.size());
  const std::lock_guard lock(mutex_);
  for (const std::uint32_t entry : entries) strengths.push_back(facts_.StrengthOf(entry));
  return strengths;
}

std::vector<std::uint32_t> Bank::Expired(std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  return facts_.Expired(now);
}

std::vector<std::uint32_t> Bank::Superseded() const {
  const std::lock_guard lock(mutex_);
  return facts_.Superseded();
}

BankStats Bank::Stats(std::int64_t now) const {
  const std::shared_ptr<const Snapshot> snapshot = Read(now);
  BankStats stats;
  stats.parts = static_cast<std::uint32_t>(snapshot->parts.size());
  for (const PlacedPart& placed : snapshot->parts) {
    stats.rows += placed.size;
    stats.codes += placed.part->code_count();
    for (std::uint32_t i = 0; i < placed.size; ++i) {
      if (!snapshot->current[placed.first_entry + i]) continue;
      ++stats.entries;
      stats.tokens += placed.part->TokenSpan(i).size();
    }
  }
  return stats;
}

std::size_t Bank::SizeInBytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = SharedBlock(sizeof(*this)) + name_.capacity() + facts_.SizeInBytes() +
                      HeapBlock(parts_.capacity() * sizeof(PlacedPart)) + NameBytes();
  for (const PlacedPart& placed : parts_) bytes += SharedBlock(placed.part->SizeInBytes());
  if (live_ != nullptr) bytes += SharedBlock(live_->SizeInBytes());
  return bytes + chunks_.SizeInBytes() + chunks_.IndexBytes();
}

std::size_t Bank::StaleBytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = facts_.StaleBytes() + chunks_.StaleBytes();
  if (names_ != nullptr) bytes += names_->sessions.StaleBytes() + names_->speakers.StaleBytes();
  return bytes;
}

std::size_t Bank::KeptBytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = NameBytes() + (live_ == nullptr ? 0 : live_->KeptBytes());
  for (const PlacedPart& placed : parts_) bytes += placed.part->KeptBytes();
  return bytes + chunks_.IndexBytes();
}

// Of the names over all parts, and of the snapshot, which leads to them.
std::size_t Bank::NameBytes() const {
  std::size_t bytes = SharedBlock(sizeof(*sessions_) + sessions_->SizeInBytes()) +
                      SharedBlock(sizeof(*speakers_) + speakers_->SizeInBytes());
  if (names_ != nullptr) {
    bytes += SharedBlock(sizeof(*names_) + names_->sessions.SizeInBytes() +
                         names_->speakers.SizeInBytes());
  }
  if (cached_ != nullptr) {
    bytes += SharedBlock(sizeof(*cached_)) + HeapBlock(cached_->current.words().size_bytes()) +
             HeapBlock(cached_->parts.capacity() * sizeof(PlacedPart));
  }
  return bytes;
}

}  // namespace dentate::bank
