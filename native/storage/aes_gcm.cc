#include "storage/aes_gcm.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/library.h"
#include "storage/sha256.h"

namespace dentate::storage {
namespace {

// Of openssl/evp.h, the same since 1.1 (and in BoringSSL): the types are opaque.
constexpr int kGetTag = 0x10;  // EVP_CTRL_AEAD_GET_TAG
constexpr int kSetTag = 0x11;  // EVP_CTRL_AEAD_SET_TAG

struct Functions {
  void* (*context_new)() = nullptr;
  void (*context_free)(void* context) = nullptr;
  int (*control)(void* context, int type, int argument, void* pointer) = nullptr;
  const void* (*aes_256_gcm)() = nullptr;
  int (*encrypt_init)(void* context, const void* type, void* engine, const unsigned char* key,
                      const unsigned char* nonce) = nullptr;
  int (*encrypt_update)(void* context, unsigned char* out, int* out_size, const unsigned char* in,
                        int in_size) = nullptr;
  int (*encrypt_final)(void* context, unsigned char* out, int* out_size) = nullptr;
  int (*decrypt_init)(void* context, const void* type, void* engine, const unsigned char* key,
                      const unsigned char* nonce) = nullptr;
  int (*decrypt_update)(void* context, unsigned char* out, int* out_size, const unsigned char* in,
                        int in_size) = nullptr;
  int (*decrypt_final)(void* context, unsigned char* out, int* out_size) = nullptr;
};

template <typename Function>
bool Find(const Library& library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(library.Find(name));
  return function != nullptr;
}

// All of one library, or none.
bool FindAll(const Library& library, Functions& all) {
  return Find(library, "EVP_CIPHER_CTX_new", all.context_new) &&
         Find(library, "EVP_CIPHER_CTX_free", all.context_free) &&
         Find(library, "EVP_CIPHER_CTX_ctrl", all.control) &&
         Find(library, "EVP_aes_256_gcm", all.aes_256_gcm) &&
         Find(library, "EVP_EncryptInit_ex", all.encrypt_init) &&
         Find(library, "EVP_EncryptUpdate", all.encrypt_update) &&
         Find(library, "EVP_EncryptFinal_ex", all.encrypt_final) &&
         Find(library, "EVP_DecryptInit_ex", all.decrypt_init) &&
         Find(library, "EVP_DecryptUpdate", all.decrypt_update) &&
         Find(library, "EVP_DecryptFinal_ex", all.decrypt_final);
}

struct Libcrypto {
  Functions functions;
  bool found = false;

  Libcrypto() {
    const Library process = Library::OfProcess();
    found = process.valid() && FindAll(process, functions);
    std::string error;
    for (const char* name :
         {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.3.dylib", "libcrypto-3-x64.dll"}) {
      if (found) return;
      const Library library = Library::Open(name, error);
      found = library.valid() && FindAll(library, functions);
    }
  }
};

const Libcrypto& LoadLibcrypto() {
  static const Libcrypto libcrypto;
  return libcrypto;
}

class EvpAesGcm final : public AesGcm {
 public:
  EvpAesGcm(const Functions& functions, const SecretKey& key)
      : functions_(functions),
        sealing_(functions.context_new()),
        opening_(functions.context_new()) {
    const void* const type = functions_.aes_256_gcm();
    const unsigned char* const bytes = key.bytes().data();
    ready_ = sealing_ != nullptr && opening_ != nullptr &&
             functions_.encrypt_init(sealing_, type, nullptr, bytes, nullptr) == 1 &&
             functions_.decrypt_init(opening_, type, nullptr, bytes, nullptr) == 1;
  }
  EvpAesGcm(const EvpAesGcm&) = delete;
  EvpAesGcm& operator=(const EvpAesGcm&) = delete;
  ~EvpAesGcm() override {
    functions_.context_free(sealing_);  // wipes the key; null is allowed
    functions_.context_free(opening_);
  }

  bool ready() const noexcept { return ready_; }

  Status Seal(const Nonce& nonce, Bytes additional, Bytes text, std::span<std::uint8_t> cipher_text,
              std::span<std::uint8_t, kTagBytes> tag) override {
    int size = 0;
    unsigned char none = 0;
    const bool sealed =
        text.size() <= kMostBytes &&
        functions_.encrypt_init(sealing_, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
        functions_.encrypt_update(sealing_, nullptr, &size, additional.data(),
                                  static_cast<int>(additional.size())) == 1 &&
        (text.empty() || functions_.encrypt_update(sealing_, cipher_text.data(), &size, text.data(),
                                                   static_cast<int>(text.size())) == 1) &&
        functions_.encrypt_final(sealing_, &none, &size) == 1 &&
        functions_.control(sealing_, kGetTag, static_cast<int>(kTagBytes), tag.data()) == 1;
    if (sealed) return Status::Ok();
    return {ErrorCode::kInternal, "libcrypto refused to encrypt"};
  }

  bool Open(const Nonce& nonce, Bytes additional, Bytes cipher_text,
            std::span<const std::uint8_t, kTagBytes> tag, std::span<std::uint8_t> text) override {
    int size = 0;
    unsigned char none = 0;
    std::array<std::uint8_t, kTagBytes> expected{};
    std::copy(tag.begin(), tag.end(), expected.begin());
    return cipher_text.size() <= kMostBytes &&
           functions_.decrypt_init(opening_, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
           functions_.decrypt_update(opening_, nullptr, &size, additional.data(),
                                     static_cast<int>(additional.size())) == 1 &&
           (cipher_text.empty() ||
            functions_.decrypt_update(opening_, text.data(), &size, cipher_text.data(),
                                      static_cast<int>(cipher_text.size())) == 1) &&
           functions_.control(opening_, kSetTag, static_cast<int>(kTagBytes), expected.data()) ==
               1 &&
           functions_.decrypt_final(opening_, &none, &size) == 1;
  }

 private:
  static constexpr std::size_t kMostBytes = std::numeric_limits<int>::max();

  const Functions& functions_;
  void* sealing_;  // one context for each direction: each keeps its key schedule
  void* opening_;
  bool ready_ = false;
};

}  // namespace

SecretKey::SecretKey(std::span<const std::uint8_t, kBytes> bytes) noexcept {
  std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

SecretKey::~SecretKey() {
  // Through a volatile pointer: the compiler may not leave it out, although nobody reads it.
  volatile std::uint8_t* const bytes = bytes_.data();
  for (std::size_t i = 0; i < kBytes; ++i) bytes[i] = 0;
}

SecretKey SecretKey::Derive(const char* label, Bytes salt) const {
  const std::string_view text = label;
  std::vector<std::uint8_t> message(text.begin(), text.end());
  message.insert(message.end(), salt.begin(), salt.end());
  return SecretKey(HmacSha256(bytes_, message));
}

Status AesGcm::Create(const SecretKey& key, std::unique_ptr<AesGcm>& cipher) {
  const Libcrypto& libcrypto = LoadLibcrypto();
  if (!libcrypto.found) {
    return {ErrorCode::kUnavailable, "no libcrypto in the process or on the machine"};
  }
  auto made = std::make_unique<EvpAesGcm>(libcrypto.functions, key);
  if (!made->ready()) return {ErrorCode::kUnavailable, "libcrypto has no AES-256-GCM"};
  cipher = std::move(made);
  return Status::Ok();
}

}  // namespace dentate::storage
