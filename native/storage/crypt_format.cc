#include "storage/crypt_format.h"

#include <algorithm>
#include <span>

#include "core/coding.h"
#include "core/crc32c.h"

namespace dentate::storage {
namespace {

constexpr std::size_t kHeaderChecksumOffset = kCryptHeaderBytes - 4;

// Little-endian, into a fixed place.
template <typename T>
void Put(std::span<std::uint8_t> bytes, std::size_t offset, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

}  // namespace

CryptHeaderBytes EncodeCryptHeader(const CryptHeader& header) {
  CryptHeaderBytes bytes{};
  std::copy(kCryptMagic.begin(), kCryptMagic.end(), bytes.begin());
  Put(bytes, 8, kCryptVersion);
  Put(bytes, 12, header.key_number);
  std::copy(header.file_id.begin(), header.file_id.end(), bytes.begin() + 16);
  Put(bytes, kHeaderChecksumOffset, Crc32c(Bytes(bytes).first(kHeaderChecksumOffset)));
  return bytes;
}

Status DecodeCryptHeader(Bytes bytes, const std::string& path, CryptHeader& header) {
  if (bytes.size() < kCryptHeaderBytes) {
    return Status::Damage(path, bytes.size(), "the file ends within its header");
  }
  if (!std::equal(kCryptMagic.begin(), kCryptMagic.end(), bytes.begin())) {
    return Status::Damage(path, 0, "not an encrypted file");
  }
  Decoder in(bytes.first(kCryptHeaderBytes).subspan(kCryptMagic.size()));
  const auto version = in.Fixed<std::uint32_t>();
  header.key_number = in.Fixed<std::uint32_t>();
  const Bytes id = in.Bytes(kFileIdBytes);
  std::copy(id.begin(), id.end(), header.file_id.begin());
  const Bytes zeros = in.Bytes(12);
  if (in.Fixed<std::uint32_t>() != Crc32c(bytes.first(kHeaderChecksumOffset))) {
    return Status::Damage(path, 0, "the header does not match its checksum");
  }
  if (version > kCryptVersion) {
    return {ErrorCode::kVersion, '"' + path + "\": version " + std::to_string(version) +
                                     " of encryption is newer than " +
                                     std::to_string(kCryptVersion)};
  }
  if (version == 0 ||
      std::any_of(zeros.begin(), zeros.end(), [](auto byte) { return byte != 0; })) {
    return Status::Damage(path, 0, "the header is invalid");
  }
  return Status::Ok();
}

ChunkHeaderBytes EncodeChunkHeader(const FileId& file_id, const ChunkHeader& header) {
  ChunkHeaderBytes bytes{};
  Put(bytes, 4, header.length);
  Put(bytes, 8, header.number);
  Put(bytes, 16, header.offset);
  Put(bytes, 24, std::uint32_t{header.end});
  Put(bytes, 0, ExtendCrc32c(Crc32c(file_id), Bytes(bytes).subspan(4)));
  return bytes;
}

bool DecodeChunkHeader(Bytes bytes, const FileId& file_id, ChunkHeader& header) {
  if (bytes.size() < kChunkHeaderBytes) return false;
  Decoder in(bytes.first(kChunkHeaderBytes));
  const auto checksum = in.Fixed<std::uint32_t>();
  if (checksum != ExtendCrc32c(Crc32c(file_id), bytes.first(kChunkHeaderBytes).subspan(4))) {
    return false;
  }
  header.length = in.Fixed<std::uint32_t>();
  header.number = in.Fixed<std::uint64_t>();
  header.offset = in.Fixed<std::uint64_t>();
  const auto kind = in.Fixed<std::uint32_t>();
  header.end = kind == 1;
  return kind <= 1 && in.Fixed<std::uint32_t>() == 0 && header.length <= kMaxChunkText &&
         header.end == (header.length == 0);
}

AesGcm::Nonce ChunkNonce(std::uint64_t number) {
  AesGcm::Nonce nonce{};
  for (std::size_t i = 0; i < 8; ++i) nonce[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return nonce;
}

SecretKey FileKey(const SecretKey& data_key, const FileId& file_id) {
  return data_key.Derive("dentate file", file_id);
}

}  // namespace dentate::storage
