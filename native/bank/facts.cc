#include "bank/facts.h"

#include <algorithm>

namespace dentate::bank {
namespace {

std::uint32_t EntryOf(std::uint32_t entry) noexcept { return entry; }
template <typename Fact>
std::uint32_t EntryOf(const Fact& fact) noexcept {
  return fact.entry;
}

template <typename Fact, typename Keep>
void Merge(const std::vector<Fact>& older, const std::vector<Fact>& newer, Keep keep,
           std::vector<Fact>& out) {
  const auto push = [&](const Fact& fact) {
    if (keep(EntryOf(fact))) out.push_back(fact);
  };
  auto old = older.begin();
  for (const Fact& fact : newer) {
    for (; old != older.end() && EntryOf(*old) < EntryOf(fact); ++old) push(*old);
    if (old != older.end() && EntryOf(*old) == EntryOf(fact)) ++old;
    push(fact);
  }
  for (; old != older.end(); ++old) push(*old);
}

}  // namespace

PartFacts MergeFacts(const PartFacts& older, const PartFacts& newer, const HasRow& has_row) {
  PartFacts facts;
  facts.next_entry = std::max(older.next_entry, newer.next_entry);
  Merge(older.deleted, newer.deleted, has_row, facts.deleted);
  const auto lives = [&](std::uint32_t entry) {
    return has_row(entry) && !std::binary_search(facts.deleted.begin(), facts.deleted.end(), entry);
  };
  Merge(older.versions, newer.versions, lives, facts.versions);
  Merge(older.expiries, newer.expiries, lives, facts.expiries);
  Merge(older.strengths, newer.strengths, lives, facts.strengths);
  return facts;
}

PartFacts WithoutRowless(const PartFacts& facts, const HasRow& has_row) {
  return MergeFacts(PartFacts(), facts, has_row);
}

}  // namespace dentate::bank
