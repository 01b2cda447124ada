// The lock of a file, held by an open descriptor: gone when the holder lets go or dies.
//
// Linux: open-file-description locks (fcntl F_OFD_SETLK), which conflict also within a process,
// work on NFS, and can be asked about (F_OFD_GETLK) without being taken. Elsewhere flock(2), which
// has all but the last: LockHolder takes the lock for a moment.

#ifndef DENTATE_STORAGE_POSIX_LOCK_H_
#define DENTATE_STORAGE_POSIX_LOCK_H_

#include <memory>
#include <string>

#include "core/status.h"
#include "storage/env.h"

namespace dentate::storage {

// As Env::LockFile and Env::LockHolder.
Status LockPosixFile(const std::string& path, const std::string& note, bool exclusive,
                     std::unique_ptr<FileLock>& lock);
Status PosixLockHolder(const std::string& path, bool& held, std::string& note);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_POSIX_LOCK_H_
