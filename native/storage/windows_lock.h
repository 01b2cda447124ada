// The lock of a file, held by an open handle: gone when the holder lets go or dies.
//
// LockFileEx keeps others from reading what it locks, and the note in the file is there to be read
// by them. So what is locked is one byte at 2^62, where no file ends. Two handles of one process
// conflict like those of two. Windows cannot be asked who holds a lock: LockHolder takes it for a
// moment.

#ifndef DENTATE_STORAGE_WINDOWS_LOCK_H_
#define DENTATE_STORAGE_WINDOWS_LOCK_H_

#include <memory>
#include <string>

#include "core/status.h"
#include "storage/env.h"

namespace dentate::storage {

// As Env::LockFile and Env::LockHolder.
Status LockWindowsFile(const std::string& path, const std::string& note, bool exclusive,
                       std::unique_ptr<FileLock>& lock);
Status WindowsLockHolder(const std::string& path, bool& held, std::string& note);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_WINDOWS_LOCK_H_
