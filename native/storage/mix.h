// Facts of a file as one number (Env::FileStamp).

#ifndef DENTATE_STORAGE_MIX_H_
#define DENTATE_STORAGE_MIX_H_

#include <cstdint>

namespace dentate::storage {

// splitmix64's finisher: each bit of the stamp depends on every fact.
inline std::uint64_t Mix(std::uint64_t stamp, std::uint64_t fact) {
  stamp = (stamp ^ fact) + UINT64_C(0x9e3779b97f4a7c15);
  stamp = (stamp ^ (stamp >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  stamp = (stamp ^ (stamp >> 27)) * UINT64_C(0x94d049bb133111eb);
  return stamp ^ (stamp >> 31);
}

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_MIX_H_
