#include "storage/key_file.h"

#include <algorithm>
#include <array>
#include <memory>

#include "core/coding.h"
#include "core/crc32c.h"

namespace dentate::storage {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {'D', 'E', 'N', 'T', 'A', 'T', 'E', 'Y'};
constexpr std::size_t kZeroBytes = 12;
constexpr std::size_t kSaltBytes = 32;
constexpr std::size_t kCheckBytes = 16;
constexpr std::size_t kHeadBytes = 80;
constexpr std::size_t kTailBytes = AesGcm::kTagBytes + 4;
static_assert(8 + 4 + 4 + 4 + kZeroBytes + kSaltBytes + kCheckBytes == kHeadBytes);

bool IsZero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

SecretKey Check(const SecretKey& user_key, Bytes salt) {
  return user_key.Derive("dentate check", salt);
}

Status NewCipher(const SecretKey& user_key, Bytes salt, std::unique_ptr<AesGcm>& cipher) {
  return AesGcm::Create(user_key.Derive("dentate wrap", salt), cipher);
}

}  // namespace

void AddDataKey(Env& env, DataKeys& keys) {
  SecretKey key;
  env.RandomBytes(key.writable());
  keys.keys.push_back(key);
}

Status EncodeKeyFile(Env& env, const SecretKey& user_key, const DataKeys& keys,
                     std::vector<std::uint8_t>& bytes) {
  std::array<std::uint8_t, kSaltBytes> salt{};
  env.RandomBytes(salt);
  bytes.assign(kMagic.begin(), kMagic.end());
  PutFixed(bytes, kKeyFileVersion);
  PutFixed(bytes, keys.first_number);
  PutFixed(bytes, static_cast<std::uint32_t>(keys.keys.size()));
  bytes.resize(bytes.size() + kZeroBytes);
  bytes.insert(bytes.end(), salt.begin(), salt.end());
  const SecretKey check = Check(user_key, salt);
  bytes.insert(bytes.end(), check.bytes().begin(), check.bytes().begin() + kCheckBytes);

  // Sealed where they lie, so that no copy of the keys is left behind in memory.
  for (const SecretKey& key : keys.keys) {
    bytes.insert(bytes.end(), key.bytes().begin(), key.bytes().end());
  }
  std::unique_ptr<AesGcm> cipher;
  Status status = NewCipher(user_key, salt, cipher);
  std::array<std::uint8_t, AesGcm::kTagBytes> tag{};
  if (status.ok()) {
    const auto text = std::span(bytes).subspan(kHeadBytes);
    status = cipher->Seal({}, Bytes(bytes).first(kHeadBytes), text, text, tag);
  }
  if (!status.ok()) {
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    return status;
  }
  bytes.insert(bytes.end(), tag.begin(), tag.end());
  PutFixed(bytes, Crc32c(bytes));
  return status;
}

Status DecodeKeyFile(Bytes bytes, const std::string& path, const SecretKey& user_key,
                     DataKeys& keys) {
  if (bytes.size() < kHeadBytes + kTailBytes) {
    return Status::Damage(path, bytes.size(), "the file is too short");
  }
  if (!std::equal(kMagic.begin(), kMagic.end(), bytes.begin())) {
    return Status::Damage(path, 0, "not a key file");
  }
  Decoder tail(bytes.last(4));
  if (tail.Fixed<std::uint32_t>() != Crc32c(bytes.first(bytes.size() - 4))) {
    return Status::Damage(path, 0, "the file does not match its checksum");
  }
  Decoder in(bytes.subspan(kMagic.size()));
  const auto version = in.Fixed<std::uint32_t>();
  const auto first_number = in.Fixed<std::uint32_t>();
  const auto count = in.Fixed<std::uint32_t>();
  if (version > kKeyFileVersion) {
    return {ErrorCode::kVersion, '"' + path + "\": version " + std::to_string(version) +
                                     " is newer than " + std::to_string(kKeyFileVersion)};
  }
  if (version == 0 || first_number == 0 || count == 0 || count > kMostDataKeys ||
      bytes.size() != kHeadBytes + SecretKey::kBytes * count + kTailBytes ||
      !IsZero(in.Bytes(kZeroBytes))) {
    return Status::Damage(path, 0, "the file is invalid");
  }
  const Bytes salt = in.Bytes(kSaltBytes);
  const Bytes check = in.Bytes(kCheckBytes);
  const Bytes cipher_text = in.Bytes(SecretKey::kBytes * count);
  const Bytes tag = in.Bytes(AesGcm::kTagBytes);
  if (!std::equal(check.begin(), check.end(), Check(user_key, salt).bytes().begin())) {
    return {ErrorCode::kKey, '"' + path + "\" was written with another key"};
  }
  std::unique_ptr<AesGcm> cipher;
  if (Status status = NewCipher(user_key, salt, cipher); !status.ok()) return status;
  std::vector<std::uint8_t> text(cipher_text.size());
  const bool opened =
      cipher->Open({}, bytes.first(kHeadBytes), cipher_text, tag.first<AesGcm::kTagBytes>(), text);
  keys = {first_number, {}};
  for (std::size_t i = 0; opened && i < count; ++i) {
    const std::span<std::uint8_t, SecretKey::kBytes> key(text.data() + i * SecretKey::kBytes,
                                                         SecretKey::kBytes);
    keys.keys.emplace_back(key);
    std::fill(key.begin(), key.end(), std::uint8_t{0});
  }
  if (!opened) return Status::Damage(path, kHeadBytes, "the keys do not match their tag");
  return Status::Ok();
}

Status ReadKeyFile(Env& env, const std::string& directory, const SecretKey& user_key,
                   DataKeys& keys) {
  const std::string path = directory + "/" + kKeyFileName;
  std::vector<std::uint8_t> bytes;
  if (Status status = env.ReadFile(path, bytes); !status.ok()) return status;
  return DecodeKeyFile(bytes, path, user_key, keys);
}

Status WriteKeyFile(Env& env, const std::string& directory, const SecretKey& user_key,
                    const DataKeys& keys) {
  const std::string temporary = directory + "/" + kKeyFileTemporaryName;
  std::vector<std::uint8_t> bytes;
  if (Status status = EncodeKeyFile(env, user_key, keys, bytes); !status.ok()) return status;
  std::unique_ptr<WritableFile> file;
  if (Status status = env.NewWritableFile(temporary, file); !status.ok()) return status;
  Status status = file->Append(bytes);
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file->Close();
  if (status.ok()) status = env.Rename(temporary, directory + "/" + kKeyFileName);
  return status.ok() ? env.SyncDirectory(directory) : status;
}

}  // namespace dentate::storage
