#include "store/tail_index.h"

#include <algorithm>
#include <utility>

namespace dentate::store {

void TailIndex::Prepare(std::string_view name) {
  auto found = current_.find(name);
  if (found == current_.end()) found = current_.emplace(name, TailBank{}).first;
  auto& groups = found->second.groups;
  if (groups.size() == groups.capacity()) groups.reserve(groups.size() < 4 ? 4 : 2 * groups.size());
}

void TailIndex::Add(const Group& group, const storage::LogPosition& position) {
  auto found = current_.find(group.bank);
  if (found == current_.end()) found = current_.emplace(group.bank, TailBank{}).first;
  TailBank& bank = found->second;
  bank.newest = position.sequence;
  if (group.type == GroupType::kDrop) {
    bank.dropped = std::max(bank.dropped, group.incarnation);
    bank.incarnation = 0;
    bank.groups = {};
    return;
  }
  bank.incarnation = group.incarnation;
  if (position.file > 0) bank.groups.push_back(position);
}

void TailIndex::BeginSeal() {
  sealing_ = std::exchange(current_, {});
  sealing_active_ = true;
}

TailIndex::Banks TailIndex::EndSeal() {
  sealing_active_ = false;
  return std::exchange(sealing_, {});
}

void TailIndex::Forget(std::uint64_t sealed_through) {
  for (auto bank = current_.begin(); bank != current_.end();) {
    if (bank->second.newest <= sealed_through) {
      bank = current_.erase(bank);
      continue;
    }
    auto& groups = bank->second.groups;
    const auto end = std::find_if(
        groups.begin(), groups.end(),
        [&](const storage::LogPosition& position) { return position.sequence > sealed_through; });
    groups.erase(groups.begin(), end);
    ++bank;
  }
}

TailBank TailIndex::All(std::string_view name) const {
  const TailBank* older = Sealing(name);
  const TailBank* newer = Current(name);
  if (newer == nullptr) return older == nullptr ? TailBank{} : *older;
  if (older == nullptr) return *newer;
  TailBank all = *newer;
  all.dropped = std::max(older->dropped, newer->dropped);
  if (newer->dropped == 0) {
    all.groups.insert(all.groups.begin(), older->groups.begin(), older->groups.end());
    if (all.incarnation == 0) all.incarnation = older->incarnation;
  }
  return all;
}

std::uint64_t TailIndex::Newest(std::string_view name) const noexcept {
  const TailBank* older = Sealing(name);
  const TailBank* newer = Current(name);
  if (newer != nullptr && newer->newest > 0) return newer->newest;
  return older == nullptr ? 0 : older->newest;
}

}  // namespace dentate::store
