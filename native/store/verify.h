// Reads every byte of a store's files and says what is wrong with them.
//
//   MANIFEST   head and body
//   segments   length and sequences as the manifest says; header, directory, trailer; every blob's
//              checksum, then the image in it to the last number (SealedPart::Validate); gaps; the
//              name, which is the hash of all bytes; what the rows of one bank, of all segments,
//              say together
//   log        from the manifest's first file on: every frame, whether a group that was synced is
//              missing, every group and its record
//
// Works on the files alone, so that a store that does not open can be looked at, and one that is in
// use, by this process or another one: where the writer has replaced files meanwhile, what is new
// is read. What a crash may have left (a torn tail, garbage) is no damage.
//
// Cost: reading all of it, 0.05 s for 100 MB of segments (SHA-256; 0.3 s where the CPU has no
// instructions for it) and 50 ns a token.
//
// Threads. Any.

#ifndef DENTATE_STORE_VERIFY_H_
#define DENTATE_STORE_VERIFY_H_

#include <string>
#include <vector>

#include "core/status.h"
#include "storage/env.h"
#include "store/store.h"

namespace dentate::store {

// Replaces `damage` by all that is wrong, file by file; none: the store is sound. Not ok, with what
// was found so far: the directory has no store or cannot be read at all (kIo), a newer version
// wrote some of it (kVersion), or `cancelled` said yes (kAborted).
Status VerifyStore(storage::Env& env, const std::string& directory, const Cancelled& cancelled,
                   std::vector<DamagedPlace>& damage);

}  // namespace dentate::store

#endif  // DENTATE_STORE_VERIFY_H_
