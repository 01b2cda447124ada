// A directory without a manifest: whether a store may be made there.

#ifndef DENTATE_STORE_NEW_DIRECTORY_H_
#define DENTATE_STORE_NEW_DIRECTORY_H_

#include <cstdint>
#include <string>

#include "core/status.h"
#include "storage/env.h"

namespace dentate::store {

inline constexpr std::uint64_t kFirstLogFile = 1;  // of a new store

// kCorruption: there are a store's files, more of them than a crash leaves that came while a store
// was made; its manifest was lost, or it is a copy in part. REQUIRES: no manifest was found there.
Status CheckNewDirectory(storage::Env& env, const std::string& directory);

}  // namespace dentate::store

#endif  // DENTATE_STORE_NEW_DIRECTORY_H_
