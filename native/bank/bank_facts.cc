#include "bank/bank_facts.h"

#include <algorithm>
#include <iterator>

namespace dentate::bank {
namespace {

// A node of a map or set: its value, and four words for links and hash.
constexpr std::size_t kNode = 4 * sizeof(void*);
constexpr std::size_t kVersionBytes = kNode + 8 + sizeof(std::uint32_t);
constexpr std::size_t kExpiryBytes = kNode + 16;
constexpr std::size_t kStrengthBytes = kNode + 24;

template <typename T>
void ReserveMore(std::vector<T>& list, std::size_t count) {
  const std::size_t size = list.size() + count;
  if (size > list.capacity()) list.reserve(std::max(size, 2 * list.capacity()));
}

}  // namespace

// --- how a fact is kept

bool BankFacts::IsExpired(std::uint32_t entry) const noexcept {
  const auto at = expiries_.find(entry);
  return at != expiries_.end() && at->second <= now_;
}

void BankFacts::Lose(std::uint32_t entry) noexcept {
  if (!IsCurrent(entry)) return;
  current_.Clear(entry);
  ++losses_;
}

// Makes `current_` right for the turn of `entry`.
void BankFacts::Settle(std::uint32_t entry) noexcept {
  const auto settle = [this](std::uint32_t version, bool newest) {
    if (version >= current_.size()) return;
    if (newest && !IsExpired(version)) {
      current_.Set(version);
    } else {
      Lose(version);
    }
  };
  const auto origin_of = origins_.find(entry);
  const std::uint32_t origin = origin_of == origins_.end() ? entry : origin_of->second;
  bool newer = false;  // whether a newer version lives
  if (const auto later = later_versions_.find(origin); later != later_versions_.end()) {
    for (auto version = later->second.rbegin(); version != later->second.rend(); ++version) {
      const bool lives = IsLiving(*version);
      settle(*version, lives && !newer);
      newer |= lives;
    }
  }
  settle(origin, IsLiving(origin) && !newer);
}

void BankFacts::GrowTo(std::uint32_t next_entry) {
  if (next_entry <= living_.size()) return;
  current_.Grow(next_entry);
  living_.Grow(next_entry);
}

void BankFacts::AddVersion(std::uint32_t entry, std::uint32_t origin) {
  std::vector<std::uint32_t>& later = later_versions_[origin];
  later.reserve(later.size() + 1);
  origins_.insert_or_assign(entry, origin);
  if (std::find(later.begin(), later.end(), entry) != later.end()) return;
  later.insert(std::lower_bound(later.begin(), later.end(), entry), entry);
}

void BankFacts::AddExpiry(std::uint32_t entry, std::int64_t at) {
  DropExpiry(entry);
  const auto waiting = waiting_.emplace(at, entry).first;
  try {
    expiries_.emplace(entry, at);
  } catch (...) {
    waiting_.erase(waiting);
    throw;
  }
}

void BankFacts::DropVersion(std::uint32_t entry) noexcept {
  const auto origin = origins_.find(entry);
  if (origin == origins_.end()) return;
  std::erase(later_versions_[origin->second], entry);
  if (later_versions_[origin->second].empty()) later_versions_.erase(origin->second);
  origins_.erase(origin);
}

void BankFacts::DropExpiry(std::uint32_t entry) noexcept {
  const auto expiry = expiries_.find(entry);
  if (expiry == expiries_.end()) return;
  waiting_.erase({expiry->second, entry});
  expiries_.erase(expiry);
}

// --- loading

void BankFacts::AddRows(std::uint32_t begin, std::uint32_t end) {
  GrowTo(end);
  living_.SetRange(begin, end);
  current_.SetRange(begin, end);
}

void BankFacts::AddFacts(const PartFacts& facts) {
  GrowTo(facts.next_entry);
  for (const auto& version : facts.versions) AddVersion(version.entry, version.origin);
  for (const auto& expiry : facts.expiries) AddExpiry(expiry.entry, expiry.at);
  for (const auto& strength : facts.strengths) {
    strengths_[strength.entry] = {strength.recalls, strength.last};
  }
  for (const std::uint32_t entry : facts.deleted) {
    if (entry >= living_.size()) continue;
    living_.Clear(entry);
    Settle(entry);
  }
  for (const auto& version : facts.versions) Settle(version.entry);
  for (const auto& expiry : facts.expiries) Settle(expiry.entry);
}

// --- changes

void BankFacts::PrepareAppend(std::uint32_t first_entry, std::span<const NewEntry> entries) {
  GrowTo(first_entry + static_cast<std::uint32_t>(entries.size()));
  std::size_t holes = 0, versions = 0, expiries = 0;
  for (const NewEntry& entry : entries) {
    holes += entry.hole ? 1 : 0;
    versions += entry.origin != kNone ? 1 : 0;
    expiries += entry.expires != kNever ? 1 : 0;
  }
  ReserveMore(pending_deleted_, holes);
  ReserveMore(pending_versions_, versions);
  ReserveMore(pending_expiries_, expiries);
  try {
    // Their rows do not live yet, so that they count for nothing.
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      if (entries[i].origin != kNone) AddVersion(first_entry + i, entries[i].origin);
      if (entries[i].expires != kNever) AddExpiry(first_entry + i, entries[i].expires);
    }
  } catch (...) {
    GiveUpAppend(first_entry, entries);
    throw;
  }
}

void BankFacts::GiveUpAppend(std::uint32_t first_entry,
                             std::span<const NewEntry> entries) noexcept {
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    DropVersion(first_entry + i);
    DropExpiry(first_entry + i);
  }
}

void BankFacts::Append(std::uint32_t first_entry, std::span<const NewEntry> entries) noexcept {
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const std::uint32_t entry = first_entry + i;
    if (entries[i].hole) {
      pending_deleted_.push_back(entry);
      continue;
    }
    living_.Set(entry);
    current_.Set(entry);
    if (entries[i].origin != kNone) pending_versions_.push_back({entry, entries[i].origin});
    if (entries[i].expires != kNever) pending_expiries_.push_back({entry, entries[i].expires});
    if (entries[i].origin != kNone || entries[i].expires != kNever) Settle(entry);
  }
}

void BankFacts::PrepareDelete(std::size_t count) { ReserveMore(pending_deleted_, count); }

void BankFacts::Delete(std::span<const std::uint32_t> entries) noexcept {
  for (const std::uint32_t entry : entries) {
    if (!IsLiving(entry)) continue;
    living_.Clear(entry);
    Settle(entry);
    pending_deleted_.push_back(entry);
  }
}

void BankFacts::PrepareTouch(std::span<const std::uint32_t> entries) {
  for (const std::uint32_t entry : entries) {
    strengths_.try_emplace(entry);
    pending_touched_.insert(entry);
  }
}

void BankFacts::Touch(std::span<const std::uint32_t> entries, std::int64_t now) noexcept {
  for (const std::uint32_t entry : entries) {
    Recalls& recalls = strengths_.find(entry)->second;
    if (recalls.count < UINT32_MAX) ++recalls.count;
    recalls.last = now;
  }
}

bool BankFacts::Expire(std::int64_t now) noexcept {
  now_ = std::max(now_, now);
  bool changed = false;
  while (!waiting_.empty() && waiting_.begin()->first <= now_) {
    const std::uint32_t entry = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    changed |= IsCurrent(entry);
    Lose(entry);
  }
  return changed;
}

// --- questions

std::uint32_t BankFacts::OriginOf(std::uint32_t entry) const {
  const auto origin = origins_.find(entry);
  return origin == origins_.end() ? entry : origin->second;
}

std::vector<std::uint32_t> BankFacts::VersionsOf(std::uint32_t entry) const {
  std::vector<std::uint32_t> versions;
  const std::uint32_t origin = OriginOf(entry);
  if (IsLiving(origin)) versions.push_back(origin);
  const auto later = later_versions_.find(origin);
  if (later == later_versions_.end()) return versions;
  std::copy_if(later->second.begin(), later->second.end(), std::back_inserter(versions),
               [this](std::uint32_t version) { return IsLiving(version); });
  return versions;
}

std::uint32_t BankFacts::Newest(std::uint32_t entry) const {
  const std::vector<std::uint32_t> versions = VersionsOf(entry);
  return versions.empty() ? kNone : versions.back();
}

std::int64_t BankFacts::ExpiresAt(std::uint32_t entry) const {
  const auto expiry = expiries_.find(entry);
  return expiry == expiries_.end() ? kNever : expiry->second;
}

PartFacts::Strength BankFacts::StrengthOf(std::uint32_t entry) const {
  const auto strength = strengths_.find(entry);
  if (strength == strengths_.end()) return {entry, 0, 0};
  return {entry, strength->second.count, strength->second.last};
}

std::vector<std::uint32_t> BankFacts::Expired(std::int64_t now) const {
  std::vector<std::uint32_t> entries;
  for (const auto& [entry, at] : expiries_) {
    // What a superseded version said of expiry counts no more.
    if (at <= now && Newest(entry) == entry) entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<std::uint32_t> BankFacts::Superseded() const {
  std::vector<std::uint32_t> entries;
  for (const auto& turn : later_versions_) {
    const std::vector<std::uint32_t> versions = VersionsOf(turn.first);
    if (!versions.empty()) entries.insert(entries.end(), versions.begin(), versions.end() - 1);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

PartFacts BankFacts::TakePending(std::uint32_t next_entry) {
  PartFacts facts;
  facts.next_entry = next_entry;
  facts.deleted = pending_deleted_;
  std::sort(facts.deleted.begin(), facts.deleted.end());
  for (const auto& version : pending_versions_) {
    if (IsLiving(version.entry)) facts.versions.push_back(version);
  }
  for (const auto& expiry : pending_expiries_) {
    if (IsLiving(expiry.entry)) facts.expiries.push_back(expiry);
  }
  for (const std::uint32_t entry : pending_touched_) {
    const PartFacts::Strength strength = StrengthOf(entry);
    if (IsLiving(entry) && strength.recalls > 0) facts.strengths.push_back(strength);
  }
  // What follows cannot fail.
  std::vector<std::uint32_t>().swap(pending_deleted_);
  std::vector<PartFacts::Version>().swap(pending_versions_);
  std::vector<PartFacts::Expiry>().swap(pending_expiries_);
  pending_touched_.clear();
  return facts;
}

std::size_t BankFacts::SizeInBytes() const {
  std::size_t bytes = (living_.words().size() + current_.words().size()) * sizeof(std::uint64_t);
  bytes += origins_.size() * kVersionBytes;
  bytes += later_versions_.size() * (kNode + 32);
  bytes += expiries_.size() * kExpiryBytes + waiting_.size() * (kNode + 16);
  bytes += strengths_.size() * kStrengthBytes + pending_touched_.size() * (kNode + 4);
  bytes += pending_deleted_.capacity() * sizeof(std::uint32_t);
  bytes += pending_versions_.capacity() * sizeof(PartFacts::Version);
  bytes += pending_expiries_.capacity() * sizeof(PartFacts::Expiry);
  return bytes;
}

std::size_t BankFacts::StaleBytes() const {
  const auto gone = [this](const auto& facts) {
    return static_cast<std::size_t>(std::count_if(
        facts.begin(), facts.end(), [this](const auto& fact) { return !IsLiving(fact.first); }));
  };
  return gone(origins_) * kVersionBytes + gone(expiries_) * kExpiryBytes +
         gone(strengths_) * kStrengthBytes;
}

}  // namespace dentate::bank
