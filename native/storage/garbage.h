// What crashes leave: files of a store that its manifest doesn't name.
//
// The writer removes them when it opens (and after a swap), never a reader: what is garbage to an
// old manifest may be named by the next one. Files whose names are not a store's are left alone.

#ifndef DENTATE_STORAGE_GARBAGE_H_
#define DENTATE_STORAGE_GARBAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "storage/manifest.h"

namespace dentate::storage {

// Names, sorted: unfinished segments and manifests, segments that `manifest` doesn't name, log
// files below its first_log_file. REQUIRES: the writer lock, and no segment being written.
Status ListGarbage(Env& env, const std::string& directory, const Manifest& manifest,
                   std::vector<std::string>& names);

// Removes them. The directory is not synced: what comes back is garbage again.
Status RemoveGarbage(Env& env, const std::string& directory, const Manifest& manifest);

// Whether the name is that of a segment or a log file: where there is one and no manifest, the
// directory is what is left of a store, not an empty one.
bool IsDataName(std::string_view name) noexcept;

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_GARBAGE_H_
