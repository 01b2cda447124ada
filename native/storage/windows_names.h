// Names of files on Windows: replacing and removing them while they are open or mapped.
//
// env.h promises what POSIX does: a name is gone, or leads to the new file, when the call returns,
// and who has the old file open or mapped keeps it. NTFS does so since Windows 10 1709, where it is
// asked for by name (FILE_RENAME_FLAG_POSIX_SEMANTICS, FILE_DISPOSITION_FLAG_POSIX_SEMANTICS; Linux
// programs under WSL 1 are what they were made for). An older system, FAT and many network drives
// answer that they know no such thing, and get the calls of old: those fail with EACCES while the
// file is mapped, for replacing also while it is open, and a removed name stays, of no use, until
// the last handle is closed. What could not be removed is garbage that the next writer removes
// (garbage.h).
//
// Virus scanners and indexers open files at any time, some of them without sharing: what fails for
// that is tried again for up to half a second.

#ifndef DENTATE_STORAGE_WINDOWS_NAMES_H_
#define DENTATE_STORAGE_WINDOWS_NAMES_H_

#include <string>
#include <vector>

#include "core/status.h"

namespace dentate::storage {

// As the functions of Env of these names. The new name is durable when RenameFile returns.
Status RenameWindowsFile(const std::string& from, const std::string& to);
Status RemoveWindowsFile(const std::string& path);
Status ListWindowsDirectory(const std::string& path, std::vector<std::string>& names);
Status CanonicalWindowsPath(const std::string& path, std::string& canonical);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_WINDOWS_NAMES_H_
