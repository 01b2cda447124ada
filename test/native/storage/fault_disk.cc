#include "storage/fault_disk.h"

#include <algorithm>

namespace dentate::storage {
namespace {

constexpr std::uint64_t kSectorBytes = 512;

std::size_t Below(std::size_t bound, std::mt19937_64& random) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

// Of the changes that touched a sector, how many reached the medium.
using Reached = std::map<std::uint64_t, std::size_t>;

Reached CountChanges(const std::vector<FaultFile::Change>& changes) {
  Reached counts;
  for (const auto& change : changes) {
    if (change.bytes.empty()) continue;
    const std::uint64_t last = (change.offset + change.bytes.size() - 1) / kSectorBytes;
    for (std::uint64_t sector = change.offset / kSectorBytes; sector <= last; ++sector) {
      ++counts[sector];
    }
  }
  return counts;
}

// `medium` with the first `reached` changes of each sector, and the length after `lengths` of all.
std::vector<std::uint8_t> Apply(const std::vector<std::uint8_t>& medium,
                                const std::vector<FaultFile::Change>& changes, Reached reached,
                                std::size_t lengths) {
  std::vector<std::uint8_t> bytes = medium;
  for (const auto& change : changes) {
    const std::uint64_t end = change.offset + change.bytes.size();
    for (std::uint64_t at = change.offset; at < end;) {
      const std::uint64_t sector = at / kSectorBytes;
      const std::uint64_t stop = std::min(end, (sector + 1) * kSectorBytes);
      if (std::size_t& left = reached[sector]; left > 0) {
        --left;
        if (bytes.size() < stop) bytes.resize(stop);
        std::copy(change.bytes.begin() + static_cast<std::ptrdiff_t>(at - change.offset),
                  change.bytes.begin() + static_cast<std::ptrdiff_t>(stop - change.offset),
                  bytes.begin() + static_cast<std::ptrdiff_t>(at));
      }
      at = stop;
    }
  }
  bytes.resize(lengths == 0 ? medium.size() : changes[lengths - 1].size);
  return bytes;
}

std::vector<std::uint8_t> ApplyAll(const std::vector<std::uint8_t>& medium,
                                   const std::vector<FaultFile::Change>& changes) {
  return Apply(medium, changes, CountChanges(changes), changes.size());
}

std::vector<std::uint8_t> ApplyIndependently(const std::vector<std::uint8_t>& medium,
                                             const std::vector<FaultFile::Change>& changes,
                                             std::mt19937_64& random) {
  Reached reached = CountChanges(changes);
  for (auto& [sector, count] : reached) count = Below(count + 1, random);
  return Apply(medium, changes, std::move(reached), Below(changes.size() + 1, random));
}

std::vector<std::uint8_t> ApplyAtRandom(const std::vector<std::uint8_t>& medium,
                                        const std::vector<FaultFile::Change>& changes,
                                        std::mt19937_64& random) {
  switch (Below(4, random)) {
    case 0:
      return medium;
    case 1:
      return ApplyAll(medium, changes);
    case 2: {  // all up to one point of time
      const auto count = static_cast<std::ptrdiff_t>(Below(changes.size() + 1, random));
      return ApplyAll(medium, {changes.begin(), changes.begin() + count});
    }
    default:
      return ApplyIndependently(medium, changes, random);
  }
}

}  // namespace

void FaultFile::Write(std::uint64_t offset, Bytes bytes) {
  if (seen.size() < offset + bytes.size()) seen.resize(offset + bytes.size());
  std::copy(bytes.begin(), bytes.end(), seen.begin() + static_cast<std::ptrdiff_t>(offset));
  changes.push_back({offset, {bytes.begin(), bytes.end()}, seen.size()});
  ++version;
}

void FaultFile::Truncate(std::uint64_t size) {
  if (seen.size() == size) return;
  seen.resize(size);
  changes.push_back({0, {}, size});
  ++version;
}

void FaultFile::Sync() {
  // Not simply `medium = seen`: what an earlier failed Sync lost stays lost.
  medium = ApplyAll(medium, changes);
  changes.clear();
}

void FaultFile::FailSync(std::mt19937_64& random) {
  medium = ApplyIndependently(medium, changes, random);
  // The length is metadata, which the journal still brings.
  medium.resize(seen.size());
  changes.clear();
}

std::shared_ptr<FaultFile> FaultFile::AfterCrash(Survival survival, std::mt19937_64& random) const {
  auto file = std::make_shared<FaultFile>(*this);
  if (survival == Survival::kProcess) return file;
  if (survival == Survival::kRandom) file->medium = ApplyAtRandom(medium, changes, random);
  file->seen = file->medium;
  file->changes.clear();
  ++file->version;
  return file;
}

FaultDisk::File FaultDisk::Find(const std::string& path) const {
  const auto name = names_.find(path);
  return name == names_.end() ? nullptr : name->second.back();
}

FaultDisk::File FaultDisk::Create(const std::string& path) {
  if (File file = Find(path)) return file;
  if (!IsDirectory(ParentPath(path))) return nullptr;
  auto file = std::make_shared<FaultFile>();
  file->number = next_number_++;
  auto& values = names_[path];
  if (values.empty()) values.push_back(nullptr);
  values.push_back(file);
  return file;
}

bool FaultDisk::Rename(const std::string& from, const std::string& to) {
  const File file = Find(from);
  if (file == nullptr || !IsDirectory(ParentPath(to))) return false;
  if (from == to) return true;
  auto& values = names_[to];
  if (values.empty()) values.push_back(nullptr);
  values.push_back(file);
  names_[from].push_back(nullptr);
  return true;
}

bool FaultDisk::Remove(const std::string& path) {
  if (Find(path) == nullptr) return false;
  names_[path].push_back(nullptr);
  return true;
}

void FaultDisk::SyncNames(const std::string& directory) {
  for (auto name = names_.begin(); name != names_.end();) {
    if (ParentPath(name->first) == directory) {
      if (name->second.back() == nullptr) {
        name = names_.erase(name);
        continue;
      }
      name->second = {name->second.back()};
    }
    ++name;
  }
}

void FaultDisk::CreateDirectories(const std::string& path) {
  std::string directory = path;
  while (directories_.insert(directory).second && directory != ".") {
    directory = ParentPath(directory);
  }
}

std::vector<std::string> FaultDisk::List(const std::string& directory) const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& path) {
    if (path != directory && ParentPath(path) == directory) {
      names.push_back(path.substr(path.rfind('/') + 1));
    }
  };
  for (const auto& [path, values] : names_) {
    if (values.back() != nullptr) add(path);
  }
  for (const auto& path : directories_) add(path);
  std::sort(names.begin(), names.end());
  return names;
}

FaultDisk FaultDisk::AfterCrash(Survival survival, std::mt19937_64& random) const {
  FaultDisk disk;
  disk.directories_ = directories_;
  disk.next_number_ = next_number_;
  std::map<const FaultFile*, File> copies;  // a file may have two names
  const auto copy = [&](const File& file) {
    if (file == nullptr) return file;
    File& made = copies[file.get()];
    if (made == nullptr) made = file->AfterCrash(survival, random);
    return made;
  };
  const std::size_t luck = Below(4, random);  // in a random crash: how the names fare
  for (const auto& [path, values] : names_) {
    if (survival == Survival::kProcess) {
      for (const File& file : values) disk.names_[path].push_back(copy(file));
      continue;
    }
    std::size_t index = 0;
    if (survival == Survival::kRandom && luck > 0) {
      index = luck == 1 ? values.size() - 1 : Below(values.size(), random);
    }
    if (const File file = copy(values[index])) disk.names_[path] = {file};
  }
  return disk;
}

std::string ParentPath(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace dentate::storage
