// Makes banks from what lies on disk: sealed parts from segments, then the groups of the log's
// tail.
//
// Cost. A part is a view: its facts are read, its streams are not; nor are chunks. A group of the
// tail is applied as it once was, about what adding it cost less the encoding.
//
// Threads. Any.

#ifndef DENTATE_STORE_BANK_LOADER_H_
#define DENTATE_STORE_BANK_LOADER_H_

#include <memory>
#include <string>

#include "bank/bank.h"
#include "bank/part.h"
#include "core/status.h"
#include "storage/log_reader.h"
#include "storage/segment.h"
#include "store/catalog.h"

namespace dentate::store {

// The numbers that a bank of these blobs has rows for, by the segments' directories.
std::vector<bank::Interval32> RowsOf(const std::vector<BlobPlace>& blobs);

// Whether each of these entries has one of the rows.
bool HaveRows(std::span<const bank::Interval32> rows, std::span<const bank::ChunkPiece> pieces);

// A blob as a part, with its facts; of deleted entries those with one of `rows`. `part` is null
// where the blob has facts only. The part keeps the segment mapped.
Status OpenPart(const std::shared_ptr<const storage::Segment>& segment, std::size_t index,
                std::span<const bank::Interval32> rows, std::shared_ptr<const bank::Part>& part,
                bank::PartFacts& facts);

// A blob of chunks, which is read when somebody wants it. Keeps the segment mapped.
std::shared_ptr<const bank::ChunkSource> ChunkSourceOf(
    std::shared_ptr<const storage::Segment> segment, std::size_t index);
// Those of a bank, in order.
bank::ChunkSources ChunkSourcesOf(const View& view, std::string_view name,
                                  std::uint64_t incarnation);

class BankLoader {
 public:
  BankLoader(const bank::BankSettings& settings, const storage::LogReader& log)
      : settings_(settings), log_(log) {}

  // The bank of this name as the plan has it; none where nothing is left of it.
  Status Load(const std::string& name, const Plan& plan, Loaded& loaded) const;

 private:
  Status Apply(const TailBank& groups, bank::Bank& bank) const;

  const bank::BankSettings settings_;
  const storage::LogReader& log_;
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_BANK_LOADER_H_
