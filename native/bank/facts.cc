#include "bank/facts.h"

#include <algorithm>

namespace dentate::bank {
namespace {

std::uint32_t EntryOf(std::uint32_t entry) noexcept { return entry; }
template <typename Fact>
std::uint32_t EntryOf(const Fact& fact) noexcept {
  return fact.entry;
}

template <typename Fact>
void Merge(const std::vector<Fact>& older, const std::vector<Fact>& newer, const HasRow& has_row,
           std::vector<Fact>& out) {
  const auto keep = [&](const Fact& fact) {
    if (has_row(EntryOf(fact))) out.push_back(fact);
  };
  auto old = older.begin();
  for (const Fact& fact : newer) {
    for (; old != older.end() && EntryOf(*old) < EntryOf(fact); ++old) keep(*old);
    if (old != older.end() && EntryOf(*old) == EntryOf(fact)) ++old;
    keep(fact);
  }
  for (; old != older.end(); ++old) keep(*old);
}

}  // namespace

PartFacts MergeFacts(const PartFacts& older, const PartFacts& newer, const HasRow& has_row) {
  PartFacts facts;
  facts.next_entry = std::max(older.next_entry, newer.next_entry);
  Merge(older.deleted, newer.deleted, has_row, facts.deleted);
  Merge(older.versions, newer.versions, has_row, facts.versions);
  Merge(older.expiries, newer.expiries, has_row, facts.expiries);
  Merge(older.strengths, newer.strengths, has_row, facts.strengths);
  return facts;
}

PartFacts WithoutRowless(const PartFacts& facts, const HasRow& has_row) {
  return MergeFacts(PartFacts(), facts, has_row);
}

}  // namespace dentate::bank
