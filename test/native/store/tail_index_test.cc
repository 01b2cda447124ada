#include "store/tail_index.h"

#include <doctest/doctest.h>

#include <vector>

using dentate::storage::LogPosition;
using dentate::store::Group;
using dentate::store::GroupType;
using dentate::store::TailBank;
using dentate::store::TailIndex;

namespace {

void Add(TailIndex& tail, std::uint64_t sequence, const char* bank, std::uint64_t incarnation,
         GroupType type = GroupType::kRecord) {
  tail.Prepare(bank);
  tail.Add({type, incarnation, bank, {}}, LogPosition{sequence, 1, 64 * sequence, 8});
}

std::vector<std::uint64_t> Sequences(const TailBank& bank) {
  std::vector<std::uint64_t> sequences;
  for (const LogPosition& position : bank.groups) sequences.push_back(position.sequence);
  return sequences;
}

using List = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("groups are found by bank, those being sealed before newer ones") {
  TailIndex tail;
  Add(tail, 1, "a", 1);
  Add(tail, 2, "b", 2);
  Add(tail, 3, "a", 1);
  tail.BeginSeal();
  Add(tail, 4, "a", 1);
  CHECK(Sequences(tail.All("a")) == List{1, 3, 4});
  CHECK(Sequences(tail.All("b")) == List{2});
  CHECK(tail.All("b").incarnation == 2);
  CHECK(tail.All("c").incarnation == 0);
  CHECK(tail.Newest("a") == 4);
  CHECK(tail.Newest("b") == 2);
  CHECK(tail.Newest("c") == 0);
  CHECK(tail.EndSeal().size() == 2);
  CHECK(Sequences(tail.All("a")) == List{4});
  CHECK(tail.Newest("b") == 0);
}

TEST_CASE("a drop hides what came before it, on both sides of a seal") {
  TailIndex tail;
  Add(tail, 1, "a", 1);
  Add(tail, 2, "b", 2);
  tail.BeginSeal();
  Add(tail, 3, "a", 1, GroupType::kDrop);
  CHECK(tail.All("a").groups.empty());
  CHECK(tail.All("a").dropped == 1);
  CHECK(tail.All("a").incarnation == 0);
  CHECK(tail.Newest("a") == 3);
  Add(tail, 4, "a", 4);
  CHECK(Sequences(tail.All("a")) == List{4});
  CHECK(tail.All("a").incarnation == 4);
  CHECK(tail.All("a").dropped == 1);
  CHECK(Sequences(tail.All("b")) == List{2});
}

TEST_CASE("what was prepared and never came changes nothing") {
  TailIndex tail;
  Add(tail, 1, "a", 1);
  tail.BeginSeal();
  tail.Prepare("a");
  tail.Prepare("b");
  CHECK(Sequences(tail.All("a")) == List{1});
  CHECK(tail.All("a").incarnation == 1);
  CHECK(tail.Newest("a") == 1);
  CHECK(tail.Newest("b") == 0);
}

TEST_CASE("a reader forgets what a manifest says is in segments") {
  TailIndex tail;
  Add(tail, 1, "a", 1);
  Add(tail, 2, "b", 2);
  Add(tail, 3, "a", 1);
  tail.Forget(2);
  CHECK(Sequences(tail.All("a")) == List{3});
  CHECK(tail.Newest("b") == 0);
  tail.Forget(3);
  CHECK(tail.current_banks().empty());
}
