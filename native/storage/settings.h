// Whether a store was made with what it is opened with.

#ifndef DENTATE_STORAGE_SETTINGS_H_
#define DENTATE_STORAGE_SETTINGS_H_

#include <map>
#include <string>

#include "core/status.h"

namespace dentate::storage {

using Settings = std::map<std::string, std::string>;

// kMismatch unless both are equal; the message names the first setting that differs (by name), what
// the store has and what was asked for.
Status CheckSettings(const Settings& asked, const Settings& found);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_SETTINGS_H_
