#include "storage/crypt_env.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string_view>

#include "core/crc32c.h"
#include "storage/fault_env.h"
#include "storage/file_log.h"
#include "storage/log_recovery.h"
#include "storage/manifest.h"

namespace dentate::storage {
namespace {

Bytes AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

SecretKey UserKey(std::uint8_t byte) {
  SecretKey key;
  std::fill(key.writable().begin(), key.writable().end(), byte);
  return key;
}

// An encrypted store's env over a disk that breaks, with the directory /d.
struct Crypt {
  explicit Crypt(std::uint64_t seed = 1) : base(seed) {
    REQUIRE(base.CreateDirectories("/d").ok());
    REQUIRE(OpenStoreEnv(base, "/d", &key, NewStore::kCreate, env, crypt).ok());
    REQUIRE(crypt != nullptr);
  }
  const SecretKey key = UserKey(7);
  FaultEnv base;
  std::shared_ptr<Env> env;
  CryptEnv* crypt = nullptr;
};

std::shared_ptr<Env> Reopen(FaultEnv& base, const SecretKey& key) {
  std::shared_ptr<Env> env;
  CryptEnv* crypt = nullptr;
  REQUIRE(OpenStoreEnv(base, "/d", &key, NewStore::kRefuse, env, crypt).ok());
  REQUIRE(crypt != nullptr);
  return env;
}

std::string RandomText(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

std::string Read(const ReadableFile& file, std::uint64_t offset, std::size_t size) {
  std::string out(size, '?');
  std::size_t read = 0;
  const std::span bytes(reinterpret_cast<std::uint8_t*>(out.data()), out.size());
  REQUIRE(file.ReadAt(offset, bytes, read).ok());
  return out.substr(0, read);
}

// The text as reading in parts gives it.
std::string ReadAll(Env& env, const std::string& path) {
  std::unique_ptr<ReadableFile> file;
  REQUIRE(env.NewReadableFile(path, file).ok());
  std::uint64_t size = 0;
  REQUIRE(file->Size(size).ok());
  return Read(*file, 0, static_cast<std::size_t>(size));
}

void Write(Env& env, const std::string& path, const std::vector<std::string>& pieces) {
  std::unique_ptr<WritableFile> file;
  REQUIRE(env.NewWritableFile(path, file).ok());
  for (const auto& piece : pieces) REQUIRE(file->Append(AsBytes(piece)).ok());
  REQUIRE(file->Sync().ok());
  REQUIRE(file->Close().ok());
}

std::size_t Place(const std::vector<std::string>& pieces, std::size_t index) {
  std::size_t place = kCryptHeaderBytes;
  for (std::size_t i = 0; i < index; ++i) place += ChunkBytes(pieces[i].size());
  return place;
}

bool Contains(const std::vector<std::uint8_t>& bytes, std::string_view text) {
  return std::search(bytes.begin(), bytes.end(), text.begin(), text.end(), [](auto a, char b) {
           return a == static_cast<std::uint8_t>(b);
         }) != bytes.end();
}

}  // namespace

TEST_CASE(
    "what is written is read back, in parts, whole and mapped, and does not lie there plain") {
  Crypt crypt;
  std::vector<std::string> pieces;
  std::string all;
  for (const std::size_t size : {1, 15, 16, 17, 500, 4096, 65535, 65536, 65537, 0, 1'500'000, 3}) {
    pieces.push_back(RandomText(size, size));
    all += pieces.back();
  }
  Write(*crypt.env, "/d/a", pieces);
  CHECK(ReadAll(*crypt.env, "/d/a") == all);
  std::vector<std::uint8_t> bytes;
  std::shared_ptr<const MappedFile> mapped;
  REQUIRE(crypt.env->ReadFile("/d/a", bytes).ok());
  CHECK(std::equal(bytes.begin(), bytes.end(), AsBytes(all).begin(), AsBytes(all).end()));
  REQUIRE(crypt.env->MapFile("/d/a", mapped).ok());
  CHECK(std::ranges::equal(mapped->bytes(), AsBytes(all)));
  CHECK(reinterpret_cast<std::uintptr_t>(mapped->bytes().data()) % 4096 == 0);

  std::unique_ptr<ReadableFile> file;
  REQUIRE(crypt.env->NewReadableFile("/d/a", file).ok());
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const std::size_t offset = random() % (all.size() + 10);
    const std::size_t size = random() % 70'000;
    const std::string expected = offset < all.size() ? all.substr(offset, size) : "";
    CHECK(Read(*file, offset, size) == expected);
  }
  for (const auto& piece : pieces) {
    if (piece.size() > 8) CHECK(!Contains(crypt.base.Content("/d/a"), piece.substr(0, 8)));
  }
  for (const auto& name : {"/d/a", "/d/KEY"}) {
    CHECK(!Contains(crypt.base.Content(name), std::string(32, 7)));  // the user's key
  }
}

TEST_CASE("equal text is different bytes in each file and at each place") {
  Crypt crypt;
  const std::string text(64, 'x');
  Write(*crypt.env, "/d/a", {text, text});
  const auto first = crypt.base.Content("/d/a");
  Write(*crypt.env, "/d/a", {text, text});
  const auto second = crypt.base.Content("/d/a");
  REQUIRE(first.size() == second.size());
  const auto part = [](const std::vector<std::uint8_t>& bytes, std::size_t place) {
    return std::string(bytes.begin() + static_cast<std::ptrdiff_t>(place + kChunkHeaderBytes),
                       bytes.begin() + static_cast<std::ptrdiff_t>(place + kChunkHeaderBytes + 64));
  };
  const std::size_t next = Place({text}, 1);
  CHECK(part(first, kCryptHeaderBytes) != part(second, kCryptHeaderBytes));
  CHECK(part(first, kCryptHeaderBytes) != part(first, next));
}

TEST_CASE("an empty file is read as one") {
  Crypt crypt;
  Write(*crypt.env, "/d/a", {});
  CHECK(ReadAll(*crypt.env, "/d/a").empty());
  std::shared_ptr<const MappedFile> mapped;
  REQUIRE(crypt.env->MapFile("/d/a", mapped).ok());
  CHECK(mapped->bytes().empty());
}

TEST_CASE("any change of a byte and any cut is noticed where a file is read whole") {
  Crypt crypt;
  const std::vector<std::string> pieces{"some text", RandomText(100, 1), "more of it"};
  Write(*crypt.env, "/d/a", pieces);
  const std::vector<std::uint8_t> good = crypt.base.Content("/d/a");
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto damaged = good;
    damaged[i] ^= static_cast<std::uint8_t>(1 << i % 8);
    crypt.base.SetContent("/d/a", damaged);
    const Status status = crypt.env->ReadFile("/d/a", bytes);
    CHECK(status.code() == ErrorCode::kCorruption);
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    crypt.base.SetContent("/d/a", Bytes(good).first(size));
    CHECK(crypt.env->ReadFile("/d/a", bytes).code() == ErrorCode::kCorruption);
  }
  auto longer = good;
  longer.resize(good.size() + 16);
  crypt.base.SetContent("/d/a", longer);
  CHECK(crypt.env->ReadFile("/d/a", bytes).code() == ErrorCode::kCorruption);
}

TEST_CASE("chunks that are swapped, repeated, left out or another file's are noticed") {
  Crypt crypt;
  const std::vector<std::string> pieces{std::string(64, 'a'), std::string(64, 'b')};
  const std::size_t chunk = ChunkBytes(64);
  Write(*crypt.env, "/d/a", pieces);
  Write(*crypt.env, "/d/b", pieces);
  const auto good = crypt.base.Content("/d/a");
  const auto other = crypt.base.Content("/d/b");
  const auto copy = [&](const std::vector<std::uint8_t>& from, std::size_t source,
                        std::vector<std::uint8_t>& to, std::size_t target) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(source), chunk,
                to.begin() + static_cast<std::ptrdiff_t>(target));
  };
  const std::size_t first = kCryptHeaderBytes;
  const std::size_t second = first + chunk;
  std::vector<std::vector<std::uint8_t>> wrongs(4, good);
  copy(good, second, wrongs[0], first);
  copy(good, first, wrongs[0], second);
  copy(good, first, wrongs[1], second);
  wrongs[2].erase(wrongs[2].begin() + static_cast<std::ptrdiff_t>(first),
                  wrongs[2].begin() + static_cast<std::ptrdiff_t>(second));
  copy(other, first, wrongs[3], first);
  std::vector<std::uint8_t> bytes;
  for (const auto& wrong : wrongs) {
    crypt.base.SetContent("/d/a", wrong);
    CHECK(crypt.env->ReadFile("/d/a", bytes).code() == ErrorCode::kCorruption);
    // In parts: what is there lies where it belongs, or it is a hole.
    const std::string text = ReadAll(*crypt.env, "/d/a");
    for (std::size_t i = 0; i < text.size(); ++i) {
      CHECK((text[i] == '\0' || text[i] == (i < 64 ? 'a' : 'b')));
    }
  }
}

TEST_CASE("behind a damaged chunk the text goes on where it was") {
  std::vector<std::string> pieces;
  std::string all;
  for (std::size_t i = 0; i < 20; ++i) {
    pieces.push_back(RandomText(10 + 37 * i, i + 1));
    all += pieces.back();
  }
  for (const std::size_t damage : {0UL, 3UL, 20UL, 40UL}) {  // in the header, in the text
    Crypt crypt;
    Write(*crypt.env, "/d/a", pieces);
    auto bytes = crypt.base.Content("/d/a");
    std::string expected = all;
    std::size_t offset = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      if (i % 7 == 3 || i % 7 == 4) {
        bytes[Place(pieces, i) + damage] ^= 1;
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), pieces[i].size(), '\0');
      }
      offset += pieces[i].size();
    }
    crypt.base.SetContent("/d/a", bytes);
    CHECK(ReadAll(*crypt.env, "/d/a") == expected);
  }
}

TEST_CASE("reserved room is not text, and a growing file is followed") {
  Crypt crypt;
  std::unique_ptr<WritableFile> writable;
  REQUIRE(crypt.env->NewWritableFile("/d/a", writable).ok());
  REQUIRE(writable->Reserve(100'000).ok());
  std::unique_ptr<ReadableFile> early;
  REQUIRE(crypt.env->NewReadableFile("/d/a", early).ok());
  std::string all;
  for (std::size_t i = 0; i < 50; ++i) {
    const std::string piece = RandomText(i * 90, i);
    REQUIRE(writable->Append(AsBytes(piece)).ok());
    all += piece;
    CHECK(writable->size() == all.size());
    CHECK(Read(*early, 0, all.size() + 10) == all);
    CHECK(ReadAll(*crypt.env, "/d/a") == all);  // opened again
  }
  REQUIRE(writable->Close().ok());
  CHECK(ReadAll(*crypt.env, "/d/a") == all);
  CHECK(writable->Append(AsBytes("x")).code() == ErrorCode::kIo);

  REQUIRE(crypt.env->Remove("/d/a").ok());
  Write(*crypt.env, "/d/a", {"another file of this name"});
  CHECK(ReadAll(*crypt.env, "/d/a") == "another file of this name");
  CHECK(Read(*early, 0, 10) == all.substr(0, 10));
}

TEST_CASE("room that was reserved is enough for small chunks") {
  Crypt crypt;
  std::unique_ptr<WritableFile> writable;
  REQUIRE(crypt.env->NewWritableFile("/d/a", writable).ok());
  REQUIRE(writable->Reserve(64'000).ok());
  const std::size_t reserved = crypt.base.Content("/d/a").size();
  for (int i = 0; i < 1000; ++i) REQUIRE(writable->Append(AsBytes(std::string(64, 'x'))).ok());
  CHECK(crypt.base.Content("/d/a").size() == reserved);
}

TEST_CASE("a file whose header was never written has no text, one that lost it is damaged") {
  Crypt crypt;
  std::unique_ptr<ReadableFile> file;
  std::uint64_t size = 1;
  for (const std::size_t zeros : {0, 10, 64, 5000, 200'000}) {
    crypt.base.SetContent("/d/a", std::vector<std::uint8_t>(zeros));
    REQUIRE(crypt.env->NewReadableFile("/d/a", file).ok());
    REQUIRE(file->Size(size).ok());
    CHECK(size == 0);
  }
  Write(*crypt.env, "/d/a", {"text"});
  auto bytes = crypt.base.Content("/d/a");
  bytes[20] ^= 1;
  crypt.base.SetContent("/d/a", bytes);
  CHECK(crypt.env->NewReadableFile("/d/a", file).code() == ErrorCode::kCorruption);
  std::vector<std::uint8_t> text;
  CHECK(crypt.env->ReadFile("/d/a", text).code() == ErrorCode::kCorruption);
}

TEST_CASE("a newer version is refused as such") {
  Crypt crypt;
  Write(*crypt.env, "/d/a", {"text"});
  auto bytes = crypt.base.Content("/d/a");
  bytes[8] = 2;
  const std::uint32_t checksum = Crc32c(Bytes(bytes).first(60));
  for (std::size_t i = 0; i < 4; ++i)
    bytes[60 + i] = static_cast<std::uint8_t>(checksum >> (8 * i));
  crypt.base.SetContent("/d/a", bytes);
  std::vector<std::uint8_t> text;
  CHECK(crypt.env->ReadFile("/d/a", text).code() == ErrorCode::kVersion);
}

// Appends with a sync after each third piece; `synced` bytes were acknowledged.
TEST_CASE("power cuts lose nothing that was synced, and show nothing that was not written") {
  std::vector<std::string> pieces;
  std::string all;
  for (std::size_t i = 0; i < 12; ++i) {
    pieces.push_back(std::string(1 + i * i * 11, static_cast<char>('a' + i)));
    all += pieces.back();
  }
  std::uint64_t cuts = 0;
  for (std::uint64_t cut = 1;; ++cut) {
    Crypt crypt(cut);
    crypt.base.SetFault({.at = cut, .kinds = kChanges, .power_loss = true});
    std::unique_ptr<WritableFile> file;
    std::size_t synced = 0;
    bool whole = false;
    bool named = crypt.env->NewWritableFile("/d/a", file).ok() && file->Reserve(3000).ok() &&
                 file->Sync().ok() && crypt.env->SyncDirectory("/d").ok();
    if (named) {
      std::size_t written = 0;
      for (std::size_t i = 0; i < pieces.size() && file->Append(AsBytes(pieces[i])).ok(); ++i) {
        written += pieces[i].size();
        if (i % 3 == 2 && file->Sync().ok()) synced = written;
      }
      whole = written == all.size() && file->Close().ok();
    }
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto survival = seed == 0   ? Survival::kSynced
                            : seed == 1 ? Survival::kProcess
                                        : Survival::kRandom;
      const auto after = crypt.base.AfterCrash(survival, seed);
      const auto env = Reopen(*after, crypt.key);
      if (!named && !env->Exists("/d/a")) continue;
      REQUIRE(env->Exists("/d/a"));
      const std::string text = ReadAll(*env, "/d/a");
      REQUIRE(text.size() >= synced);
      REQUIRE(text.size() <= all.size());
      for (std::size_t i = 0; i < text.size(); ++i) {
        REQUIRE((text[i] == all[i] || (i >= synced && text[i] == '\0')));
      }
      std::vector<std::uint8_t> bytes;
      const Status status = env->ReadFile("/d/a", bytes);
      if (whole || status.ok()) REQUIRE(std::ranges::equal(bytes, AsBytes(all)));
    }
    if (!crypt.base.fired()) {
      cuts = cut - 1;
      break;
    }
  }
  MESSAGE("power cuts at " << cuts << " calls, 12 crashes each");
}

TEST_CASE("a log over it keeps what it acknowledged at each power cut") {
  const std::string store_id(32, 'a');
  std::uint64_t cuts = 0;
  for (std::uint64_t cut = 1;; ++cut) {
    Crypt crypt(cut);
    REQUIRE(CreateEmptyLogFile(*crypt.env, "/d", store_id, 1, 1).ok());
    std::uint64_t acknowledged = 0;
    std::vector<std::string> groups;
    crypt.base.SetFault({.at = cut, .kinds = kChanges, .power_loss = true});
    {
      std::unique_ptr<FileLog> log;
      LogOptions options;
      options.inline_commit = true;
      const auto ignore = [](const LogPosition&, Bytes) { return Status::Ok(); };
      if (FileLog::Open(*crypt.env, "/d", store_id, 1, 0, options, ignore, {}, log).ok()) {
        for (std::size_t i = 0; i < 8; ++i) {
          LogPosition position;
          std::uint64_t number = 0;
          groups.push_back(RandomText(i * 100, i));
          if (!log->Append(AsBytes(groups.back()), position).ok()) break;
          acknowledged = log->durable();
          if (i == 4 && (!log->PrepareRotate().ok() || !log->Rotate(number).ok())) break;
        }
      }
    }
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto survival = seed == 0   ? Survival::kSynced
                            : seed == 1 ? Survival::kProcess
                                        : Survival::kRandom;
      const auto after = crypt.base.AfterCrash(survival, seed);
      const auto env = Reopen(*after, crypt.key);
      std::vector<std::string> found;
      LogTail tail;
      const Status status = RecoverLog(
          *env, "/d", store_id, 1, 0,
          [&](const LogPosition&, Bytes group) {
            found.emplace_back(group.begin(), group.end());
            return Status::Ok();
          },
          tail);
      CAPTURE(status.message());
      REQUIRE(status.ok());
      REQUIRE(found.size() >= acknowledged);
      REQUIRE(found.size() <= groups.size());
      REQUIRE(std::equal(found.begin(), found.end(), groups.begin()));
    }
    if (!crypt.base.fired()) {
      REQUIRE(acknowledged == 8);
      cuts = cut - 1;
      break;
    }
  }
  MESSAGE("power cuts at " << cuts << " calls, 12 crashes each");
}

TEST_CASE("damage in the midst of a log is damage, not its end") {
  Crypt crypt;
  const std::string store_id(32, 'a');
  REQUIRE(CreateEmptyLogFile(*crypt.env, "/d", store_id, 1, 1).ok());
  const auto ignore = [](const LogPosition&, Bytes) { return Status::Ok(); };
  {
    std::unique_ptr<FileLog> log;
    LogOptions options;
    options.inline_commit = true;
    REQUIRE(FileLog::Open(*crypt.env, "/d", store_id, 1, 0, options, ignore, {}, log).ok());
    LogPosition position;
    for (int i = 0; i < 10; ++i) REQUIRE(log->Append(AsBytes("a group of it"), position).ok());
  }
  std::vector<std::string> names;
  REQUIRE(crypt.base.ListDirectory("/d", names).ok());
  std::string path;
  for (const auto& name : names) {
    if (name.ends_with(".log")) path = "/d/" + name;
  }
  const auto good = crypt.base.Content(path);
  std::size_t damaged = 0;
  for (std::size_t i = kCryptHeaderBytes; i < good.size() / 2; i += 3) {
    auto bytes = good;
    bytes[i] ^= 0x10;
    crypt.base.SetContent(path, bytes);
    const auto env = Reopen(crypt.base, crypt.key);
    LogTail tail;
    const Status status = RecoverLog(*env, "/d", store_id, 1, 0, ignore, tail);
    if (status.ok()) {
      CHECK(tail.sequence == 10);  // padding
    } else {
      CHECK(status.code() == ErrorCode::kCorruption);
      ++damaged;
    }
  }
  CHECK(damaged > 50);
}

TEST_CASE("a manifest over it is the old or the new one at each power cut") {
  for (std::uint64_t cut = 1;; ++cut) {
    Crypt crypt(cut);
    Manifest manifest;
    manifest.store_id = std::string(32, 'a');
    manifest.generation = 1;
    REQUIRE(WriteManifest(*crypt.env, "/d", manifest).ok());
    crypt.base.SetFault({.at = cut, .kinds = kChanges, .power_loss = true});
    manifest.generation = 2;
    const bool reported = WriteManifest(*crypt.env, "/d", manifest).ok();
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto after = crypt.base.AfterCrash(Survival::kRandom, seed);
      const auto env = Reopen(*after, crypt.key);
      Manifest read;
      bool found = false;
      REQUIRE(ReadManifest(*env, "/d", read, found).ok());
      REQUIRE(found);
      REQUIRE((read.generation == 2 || (!reported && read.generation == 1)));
    }
    if (!crypt.base.fired()) break;
  }
}

}  // namespace dentate::storage
