// Copies a store into another directory while it is in use.
//
//   1. The manifest is read, and every segment it names opened: so they can be read to the end,
//   whoever
//      removes them meanwhile.
//   2. The log's groups after sealed_through, up to `through`, go to a log of the copy's own.
//   3. Segments are copied. Each is hashed on the way: one whose bytes are not what its name says
//   is
//      kCorruption, so that no damage is ever backed up as if it were sound.
//   4. The manifest is written, last.
//
// The result is a store like any other: it opens, and goes on by itself. It has an id of its own,
// so that files of the two can't be mixed up unnoticed. A crash before 4 leaves segments and a log
// without a manifest, which no opening takes for a store (docs/format.md, "Recovery").
//
// Bytes are copied, not linked: what damages a file of the one leaves the other sound.
//
// Threads. Any, beside the writer; nothing waits for it.

#ifndef DENTATE_STORE_BACKUP_H_
#define DENTATE_STORE_BACKUP_H_

#include <cstdint>
#include <string>

#include "core/status.h"
#include "storage/crypt_env.h"
#include "storage/env.h"
#include "store/store.h"

namespace dentate::store {

// `to` is made where it is missing, and must be empty; it is read and written through `to_env`.
// `crypt`: the copy is encrypted, by a KEY of its own, as OpenCopy of this makes it.
// `through`: groups after it are left out; those up to it are in the log's files or in segments.
Status BackupStore(storage::Env& env, const std::string& directory, storage::Env& to_env,
                   const std::string& to, std::uint64_t through, const Cancelled& cancelled,
                   storage::CryptEnv* crypt = nullptr);

}  // namespace dentate::store

#endif  // DENTATE_STORE_BACKUP_H_
