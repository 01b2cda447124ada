// The bytes of an encrypted file. They hide another file, the text, whose offsets are all that the
// rest of the store knows.
//
//   file:   header 64 | chunk | chunk | ... | last chunk | zeros, where room was reserved
//   chunk:  header 32 | cipher text n | tag 16 | zeros up to a multiple of 16
//
//   file header   0 magic "DENTATEX" 8 | 8 version 4 | 12 key number 4 | 16 file id 32
//                 48 zero 12 | 60 checksum 4, of bytes 0 to 59
//   chunk header  0 checksum 4, of bytes 4 to 31, begun with the checksum of the file id
//                 4 length n of the text 4 | 8 number 8 | 16 offset in the text 8
//                 24 kind 4: 0 text, 1 the end (n = 0, written by Close) | 28 zero 4
//
// Numbers are little-endian; a checksum is a CRC-32C. Chunks are numbered from 0 in the order of
// the file. One Append makes chunks of at most 64 KiB of text and writes them at once.
//
// Keys. The store has data keys, numbered (key_file.h). A file has a key of its own:
//   file key = HMAC-SHA256(data key of the file's number, "dentate file" | file id)
// where the file id is 32 random bytes, drawn anew each time that a file is begun. Chunk i is
// sealed under the file key with the nonce i (12 bytes, little-endian) and the chunk's header as
// additional data.
//
// Why no nonce is used twice under a key: two files have the same key only if 256 random bits are
// equal; within a file, numbers only grow, since a file is written once, by one writer, from its
// start to its end: a writer whose write has failed writes no more, and nobody appends to a file
// that exists. (A virtual machine that is set back to a snapshot in which a file was open for
// writing breaks this: its writer would seal other text under numbers already used. Close the store
// before taking such a snapshot.)
//
// What is noticed: any change within a chunk, by its tag; chunks that are swapped, repeated, left
// out or moved from another file, by number, offset and file key; a cut, where a file is read as a
// whole, by the missing end. What is not: a whole file that is replaced by an older one of the same
// store, or a log that is cut between two chunks, as a crash cuts it.
//
// A chunk that was torn by a crash, or damaged, is a hole. Reading in parts (logs) gives zeros for
// it and goes on behind it, at the next chunk whose header, number, offset and tag hold: so the log
// sees damage followed by valid frames, which is how it tells damage from a torn tail. Reading a
// file as a whole (manifest, segments) fails with kCorruption instead.

#ifndef DENTATE_STORAGE_CRYPT_FORMAT_H_
#define DENTATE_STORAGE_CRYPT_FORMAT_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "storage/aes_gcm.h"
#include "storage/env.h"

namespace dentate::storage {

inline constexpr std::uint32_t kCryptVersion = 1;
inline constexpr std::array<std::uint8_t, 8> kCryptMagic = {'D', 'E', 'N', 'T', 'A', 'T', 'E', 'X'};
inline constexpr std::size_t kCryptHeaderBytes = 64;
inline constexpr std::size_t kFileIdBytes = 32;
inline constexpr std::size_t kChunkHeaderBytes = 32;
inline constexpr std::size_t kChunkAlignment = 16;
inline constexpr std::size_t kMaxChunkText = std::size_t{64} << 10;
static_assert(8 + 4 + 4 + kFileIdBytes + 12 + 4 == kCryptHeaderBytes);
static_assert(4 + 4 + 8 + 8 + 4 + 4 == kChunkHeaderBytes);
static_assert(kCryptHeaderBytes % kChunkAlignment == 0);

// What a chunk of this much text takes in the file.
constexpr std::size_t ChunkBytes(std::size_t text) {
  const std::size_t size = kChunkHeaderBytes + text + AesGcm::kTagBytes;
  return (size + kChunkAlignment - 1) / kChunkAlignment * kChunkAlignment;
}
inline constexpr std::size_t kMaxChunkBytes = ChunkBytes(kMaxChunkText);

using FileId = std::array<std::uint8_t, kFileIdBytes>;

struct CryptHeader {
  std::uint32_t key_number = 0;
  FileId file_id{};
};
using CryptHeaderBytes = std::array<std::uint8_t, kCryptHeaderBytes>;
CryptHeaderBytes EncodeCryptHeader(const CryptHeader& header);
// kCorruption or kVersion, with `path` in the message.
Status DecodeCryptHeader(Bytes bytes, const std::string& path, CryptHeader& header);

struct ChunkHeader {
  std::uint32_t length = 0;
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  bool end = false;
};
using ChunkHeaderBytes = std::array<std::uint8_t, kChunkHeaderBytes>;
ChunkHeaderBytes EncodeChunkHeader(const FileId& file_id, const ChunkHeader& header);
// False: not a header of this file.
bool DecodeChunkHeader(Bytes bytes, const FileId& file_id, ChunkHeader& header);

AesGcm::Nonce ChunkNonce(std::uint64_t number);
SecretKey FileKey(const SecretKey& data_key, const FileId& file_id);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_CRYPT_FORMAT_H_
