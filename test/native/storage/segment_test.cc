#include "storage/segment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/crc32c.h"
#include "storage/memory_file.h"
#include "storage/segment_format.h"
#include "storage/segment_name.h"
#include "storage/temporary_directory.h"

namespace dentate::storage {
namespace {

using Buffer = std::vector<std::uint8_t>;

struct Given {
  BlobInfo info;
  Buffer blob;
};

Given Make(std::string key, std::uint64_t incarnation, std::size_t size, std::uint32_t first = 0) {
  Given given;
  given.info.key = std::move(key);
  given.info.incarnation = incarnation;
  given.info.first_entry = first;
  given.info.entry_count = 10;
  given.info.token_count = 1000 + size;
  given.info.dead_bytes = 7;
  for (std::size_t i = 0; i < size; ++i)
    given.blob.push_back(static_cast<std::uint8_t>(i * 31 + 1));
  return given;
}

Given MakeDropped(std::string key, std::uint64_t incarnation) {
  Given given;
  given.info.key = std::move(key);
  given.info.incarnation = incarnation;
  given.info.dropped = true;
  return given;
}

// All kinds of rows: two parts of a bank, a dropped one made again, blobs of 0, 1, 64 and more
// bytes.
std::vector<Given> Everything() {
  return {Make("a", 1, 100),     Make("a", 1, 65, 10),    MakeDropped("b", 2), Make("b", 9, 0),
          MakeDropped("b c", 3), Make("c\xc3\xa9", 4, 1), Make("d", 5, 64),    Make("d", 8, 4097)};
}

class Directory {
 public:
  std::string Write(const std::vector<Given>& all, std::uint64_t first = 1,
                    std::uint64_t last = 20) {
    std::unique_ptr<SegmentWriter> writer;
    REQUIRE(SegmentWriter::Create(env, path, first, last, writer).ok());
    for (const Given& given : all) REQUIRE(writer->Add(given.info, given.blob).ok());
    std::string name;
    REQUIRE(writer->Finish(name, length).ok());
    return name;
  }
  Buffer Read(const std::string& name) {
    Buffer bytes;
    REQUIRE(env.ReadFile(path + "/" + name, bytes).ok());
    return bytes;
  }
  std::vector<std::string> List() {
    std::vector<std::string> names;
    REQUIRE(env.ListDirectory(path, names).ok());
    return names;
  }

  TemporaryDirectory files;
  Env& env = SystemEnv();
  const std::string path = files.path();
  std::uint64_t length = 0;
};

Status OpenBytes(const Buffer& bytes, const std::string& name,
                 std::shared_ptr<const Segment>& segment) {
  return Segment::Open(std::make_shared<MemoryFile>(bytes), "store/" + name, segment);
}

// Everything that a reader of any file may do.
Status OpenAndVerify(const Buffer& bytes, const std::string& name) {
  std::shared_ptr<const Segment> segment;
  if (const Status status = OpenBytes(bytes, name, segment); !status.ok()) return status;
  return segment->Verify();
}

// Puts right the checksums that cover the directory, the header and the trailer.
void FixChecksums(Buffer& bytes) {
  const std::span<std::uint8_t> all(bytes);
  const auto fix = [](std::span<std::uint8_t> block) {
    const std::uint32_t checksum = Crc32c(block.first(60));
    std::memcpy(&block[60], &checksum, 4);
  };
  fix(all.first(64));
  const auto trailer = all.last(64);
  SegmentTrailer fields;
  std::memcpy(&fields, trailer.data(), sizeof fields);
  fields.directory_checksum = Crc32c(
      all.subspan(fields.rows_offset, fields.row_count * sizeof(SegmentRow) + fields.keys_length));
  std::memcpy(trailer.data(), &fields, sizeof fields);
  fix(trailer);
}

TEST_CASE("what was written is read back, whatever the kinds of rows") {
  Directory directory;
  const std::vector<Given> all = Everything();
  const std::string name = directory.Write(all, 3, 17);
  std::shared_ptr<const Segment> segment;
  REQUIRE(Segment::Open(directory.env, directory.path, name, segment).ok());
  CHECK(segment->name() == name);
  CHECK(segment->length() == directory.length);
  CHECK(segment->first_sequence() == 3);
  CHECK(segment->last_sequence() == 17);
  REQUIRE(segment->blob_count() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BlobInfo info = segment->Info(i);
    CHECK(info.key == all[i].info.key);
    CHECK(segment->Key(i) == all[i].info.key);
    CHECK(info.incarnation == all[i].info.incarnation);
    CHECK(info.dropped == all[i].info.dropped);
    CHECK(info.first_entry == all[i].info.first_entry);
    CHECK(info.entry_count == all[i].info.entry_count);
    CHECK(info.token_count == all[i].info.token_count);
    CHECK(info.dead_bytes == all[i].info.dead_bytes);
    CHECK(info.length == all[i].blob.size());
    Bytes bytes;
    REQUIRE(segment->Blob(i, bytes).ok());
    CHECK(std::equal(bytes.begin(), bytes.end(), all[i].blob.begin(), all[i].blob.end()));
    CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64 == 0);
  }
  CHECK(segment->Verify().ok());
  CHECK(directory.List() == std::vector<std::string>{name});
}

TEST_CASE("a key is found with all its rows, and one that is not there is not") {
  Directory directory;
  const std::string name = directory.Write(Everything());
  std::shared_ptr<const Segment> segment;
  REQUIRE(Segment::Open(directory.env, directory.path, name, segment).ok());
  const auto find = [&](std::string_view key) {
    std::size_t first = 0;
    std::size_t last = 0;
    segment->Find(key, first, last);
    return std::pair(first, last);
  };
  CHECK(find("a") == std::pair<std::size_t, std::size_t>(0, 2));
  CHECK(find("b") == std::pair<std::size_t, std::size_t>(2, 4));
  CHECK(find("b c") == std::pair<std::size_t, std::size_t>(4, 5));
  CHECK(find("c\xc3\xa9") == std::pair<std::size_t, std::size_t>(5, 6));
  CHECK(find("d") == std::pair<std::size_t, std::size_t>(6, 8));
  for (const std::string_view missing : {"", "A", "aa", "b d", "c", "e"}) {
    const auto [first, last] = find(missing);
    CHECK(first == last);
  }
}

TEST_CASE("a segment of no blobs is a header and a trailer") {
  Directory directory;
  const std::string name = directory.Write({});
  std::shared_ptr<const Segment> segment;
  REQUIRE(Segment::Open(directory.env, directory.path, name, segment).ok());
  CHECK(segment->blob_count() == 0);
  CHECK(segment->length() == 128);
  CHECK(segment->Verify().ok());
}

TEST_CASE("equal contents have equal names, other contents others") {
  Directory directory;
  const std::string name = directory.Write(Everything());
  CHECK(directory.Write(Everything()) == name);
  CHECK(directory.Write(Everything(), 2) != name);
  std::vector<Given> other = Everything();
  other[0].blob[0] ^= 1;
  CHECK(directory.Write(other) != name);
}

TEST_CASE("rows out of order are refused") {
  const std::vector<std::vector<Given>> wrong = {
      {Make("b", 1, 1), Make("a", 1, 1)},
      {Make("a", 2, 1), Make("a", 1, 1)},
      {Make("a", 1, 1, 0), Make("a", 1, 1, 9)},  // the first has entries 0 to 9
      {Make("a", 1, 1), MakeDropped("a", 1)},
      {MakeDropped("a", 1), Make("a", 1, 1)},
      {Make("", 1, 1)},
      {Make("a", 0, 1)},
  };
  for (const std::vector<Given>& all : wrong) {
    Directory directory;
    std::unique_ptr<SegmentWriter> writer;
    REQUIRE(SegmentWriter::Create(directory.env, directory.path, 1, 1, writer).ok());
    Status status;
    for (const Given& given : all) status = writer->Add(given.info, given.blob);
    CHECK(status.code() == ErrorCode::kInternal);
  }
}

TEST_CASE("a writer that does not finish leaves nothing") {
  Directory directory;
  std::unique_ptr<SegmentWriter> writer;
  REQUIRE(SegmentWriter::Create(directory.env, directory.path, 1, 1, writer).ok());
  const Given given = Make("a", 1, 3 << 20);
  REQUIRE(writer->Add(given.info, given.blob).ok());
  REQUIRE(directory.List().size() == 1);
  CHECK(IsSegmentTemporaryName(directory.List()[0]));
  writer.reset();
  CHECK(directory.List().empty());
}

TEST_CASE("a flip of any bit is damage that names the file, and no other error") {
  Directory directory;
  const std::string name = directory.Write(Everything());
  const Buffer bytes = directory.Read(name);
  REQUIRE(OpenAndVerify(bytes, name).ok());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Buffer damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    const Status status = OpenAndVerify(damaged, name);
    REQUIRE_MESSAGE(status.code() == ErrorCode::kCorruption, bit);
    REQUIRE(status.place() != nullptr);
    REQUIRE(status.place()->file == "store/" + name);
  }
}

TEST_CASE("damage names where it lies") {
  Directory directory;
  const std::string name = directory.Write(Everything());
  const Buffer bytes = directory.Read(name);
  SegmentTrailer trailer;
  std::memcpy(&trailer, &bytes[bytes.size() - 64], sizeof trailer);
  struct {
    std::size_t at;
    std::size_t named;
  } const cases[] = {{16, 0},                                          // the header
                     {64 + 5, 64},                                     // the first blob
                     {64 + 128 + 1, 64 + 128},                         // the second
                     {trailer.rows_offset + 70, trailer.rows_offset},  // the directory
                     {bytes.size() - 30, bytes.size() - 64}};          // the trailer
  for (const auto& [at, named] : cases) {
    Buffer damaged = bytes;
    damaged[at] ^= 0x40;
    const Status status = OpenAndVerify(damaged, name);
    REQUIRE(status.place() != nullptr);
    CHECK(status.place()->offset == named);
  }
}

TEST_CASE("a file cut or extended anywhere does not open") {
  Directory directory;
  const std::string name = directory.Write(Everything());
  const Buffer bytes = directory.Read(name);
  std::shared_ptr<const Segment> segment;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Buffer cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    REQUIRE(OpenBytes(cut, name, segment).code() == ErrorCode::kCorruption);
  }
  for (const std::size_t more : {1, 63, 64, 128, 4096}) {
    Buffer longer = bytes;
    longer.resize(bytes.size() + more);
    REQUIRE(OpenBytes(longer, name, segment).code() == ErrorCode::kCorruption);
    Buffer twice = bytes;  // its own trailer at the end again
    twice.insert(twice.end(), bytes.end() - static_cast<std::ptrdiff_t>(more % 128), bytes.end());
    if (twice.size() == bytes.size()) continue;
    REQUIRE(OpenBytes(twice, name, segment).code() == ErrorCode::kCorruption);
  }
}

TEST_CASE("a damaged blob leaves the others readable, and is reported each time") {
  Directory directory;
  const std::string name = directory.Write(Everything());
  Buffer bytes = directory.Read(name);
  bytes[64 + 50] ^= 1;
  std::shared_ptr<const Segment> segment;
  REQUIRE(OpenBytes(bytes, name, segment).ok());
  Bytes blob;
  CHECK(segment->Blob(0, blob).code() == ErrorCode::kCorruption);
  CHECK(segment->Blob(0, blob).code() == ErrorCode::kCorruption);
  CHECK(segment->Blob(1, blob).ok());
}

TEST_CASE("a newer version is refused as such, whatever follows the header") {
  Directory directory;
  const std::string name = directory.Write(Everything());
  Buffer bytes = directory.Read(name);
  bytes[8] = kSegmentVersion + 1;
  FixChecksums(bytes);
  std::shared_ptr<const Segment> segment;
  CHECK(OpenBytes(bytes, name, segment).code() == ErrorCode::kVersion);
  bytes.resize(64);
  CHECK(OpenBytes(bytes, name, segment).code() == ErrorCode::kVersion);
}

TEST_CASE("a directory whose checksums are right is still not believed") {
  Directory directory;
  const std::string name = directory.Write(Everything());
  const Buffer bytes = directory.Read(name);
  SegmentTrailer trailer;
  std::memcpy(&trailer, &bytes[bytes.size() - 64], sizeof trailer);

  using Change = std::function<void(std::vector<SegmentRow>&, SegmentTrailer&, SegmentHeader&)>;
  const std::vector<Change> changes = {
      [](auto&, auto&, auto& header) { header.first_sequence = 0; },
      [](auto&, auto&, auto& header) { header.last_sequence = header.first_sequence - 1; },
      [](auto&, auto&, auto& header) { header.zero = 1; },
      [](auto&, auto&, auto& header) { header.reserved[6] = 1; },
      [](auto&, auto&, auto& header) { header.version = 0; },
      [](auto&, auto& t, auto&) { t.file_length += 64; },
      [](auto&, auto& t, auto&) { t.rows_offset += 64, t.row_count -= 1; },
      [](auto&, auto& t, auto&) { t.rows_offset -= 64, t.row_count += 1; },
      [](auto&, auto& t, auto&) { t.keys_length += 1; },
      [](auto&, auto& t, auto&) { t.keys_length -= 1; },
      [](auto&, auto& t, auto&) { t.reserved[0] = 1; },
      [](auto& rows, auto&, auto&) { rows[0].offset += 64; },
      [](auto& rows, auto&, auto&) { rows[0].length += 128; },
      [](auto& rows, auto&, auto&) { rows[0].length = UINT64_MAX - 63; },
      [](auto& rows, auto&, auto&) { rows[7].length += 4096; },
      [](auto& rows, auto&, auto&) { rows[7].length -= 4096; },
      [](auto& rows, auto&, auto&) { rows[6].offset = UINT64_MAX - 63; },
      [](auto& rows, auto&, auto&) { rows[0].key_length = 0; },
      [](auto& rows, auto&, auto&) { rows[7].key_length += 1; },
      [](auto& rows, auto&, auto&) { rows[2].key_offset += 1; },
      [](auto& rows, auto&, auto&) { rows[5].key_offset = UINT32_MAX; },
      [](auto& rows, auto&, auto&) { rows[5].key_length = UINT32_MAX; },
      [](auto& rows, auto&, auto&) { rows[1].first_entry = 9; },
      [](auto& rows, auto&, auto&) { rows[0].entry_count = UINT32_MAX; },
      [](auto& rows, auto&, auto&) { rows[3].incarnation = 1; },
      [](auto& rows, auto&, auto&) { rows[3].incarnation = 2; },  // that which was dropped
      [](auto& rows, auto&, auto&) { rows[0].incarnation = 0; },
      [](auto& rows, auto&, auto&) { rows[0].flags = 2; },
      [](auto& rows, auto&, auto&) { rows[0].flags = 1; },
      [](auto& rows, auto&, auto&) { rows[2].flags = 0; },
      [](auto& rows, auto&, auto&) { rows[2].first_entry = 1; },
      [](auto& rows, auto&, auto&) { rows[2].checksum = 1; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Buffer damaged = bytes;
    std::vector<SegmentRow> rows(trailer.row_count);
    SegmentTrailer changed = trailer;
    SegmentHeader header;
    std::memcpy(&header, damaged.data(), sizeof header);
    std::memcpy(rows.data(), &damaged[trailer.rows_offset], rows.size() * sizeof(SegmentRow));
    changes[i](rows, changed, header);
    std::memcpy(damaged.data(), &header, sizeof header);
    std::memcpy(&damaged[trailer.rows_offset], rows.data(), rows.size() * sizeof(SegmentRow));
    std::memcpy(&damaged[damaged.size() - 64], &changed, sizeof changed);
    FixChecksums(damaged);
    std::shared_ptr<const Segment> segment;
    CHECK_MESSAGE(OpenBytes(damaged, name, segment).code() == ErrorCode::kCorruption, i);
  }
}

TEST_CASE("a file under another's name is found by its hash") {
  Directory directory;
  const std::string name = directory.Write(Everything());
  std::shared_ptr<const Segment> segment;
  const std::string other = SegmentName(std::vector<std::uint8_t>(16, 0xab));
  REQUIRE(OpenBytes(directory.Read(name), other, segment).ok());
  CHECK(segment->Verify().code() == ErrorCode::kCorruption);
  CHECK(segment->VerifyBlob(0).ok());
}

TEST_CASE("random directories come back and are found by halving") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    Directory directory;
    std::vector<Given> all;
    const std::size_t count = random() % 300;
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back(Make("bank-" + std::to_string(random() % 1000), 1 + i, random() % 200));
    }
    std::sort(all.begin(), all.end(), [](const Given& a, const Given& b) {
      return std::pair(a.info.key, a.info.incarnation) < std::pair(b.info.key, b.info.incarnation);
    });
    const std::string name = directory.Write(all);
    std::shared_ptr<const Segment> segment;
    REQUIRE(Segment::Open(directory.env, directory.path, name, segment).ok());
    REQUIRE(segment->Verify().ok());
    for (int key = 0; key < 1000; ++key) {
      const std::string wanted = "bank-" + std::to_string(key);
      std::size_t first = 0;
      std::size_t last = 0;
      segment->Find(wanted, first, last);
      const auto expected = std::count_if(all.begin(), all.end(),
                                          [&](const Given& g) { return g.info.key == wanted; });
      REQUIRE(last - first == static_cast<std::size_t>(expected));
      for (std::size_t i = first; i < last; ++i) REQUIRE(segment->Key(i) == wanted);
    }
  }
}

}  // namespace
}  // namespace dentate::storage
