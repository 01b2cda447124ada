// Any bytes as two log records, the first of a length that the first byte says: a bank refuses them
// or applies them, and then answers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bank/bank.h"

namespace {

using namespace dentate::bank;

void ReadAll(const Snapshot& snapshot) {
  std::vector<std::uint32_t> tokens, codes, pieces, entries(16);
  std::vector<std::uint8_t> extras;
  for (const PlacedPart& placed : snapshot.parts) {
    const Part& part = *placed.part;
    for (std::uint32_t i = 0; i < placed.size; ++i) {
      const Interval32 span = part.TokenSpan(i);
      tokens.resize(span.size());
      part.Tokens(span.begin, span.end, tokens.data());
      const Interval32 code_span = part.CodeSpan(i);
      part.Codes(code_span.begin, code_span.end, codes, &tokens);
      part.AppendExtras(i, extras);
      snapshot.Previous(placed.first_entry + i);
      snapshot.Next(placed.first_entry + i);
      snapshot.SpeakerOf(placed.first_entry + i);
    }
    for (std::uint32_t code = 0; code < part.code_count(); ++code) {
      part.Pieces(code, pieces);
      Part::Sweep sweep;
      while (part.EntriesOf(code, placed.size, sweep, entries) > 0) {
      }
    }
    for (std::uint32_t speaker = 0; speaker < part.speaker_count(); ++speaker) {
      for (std::uint32_t word = 0; word < part.speaker_word_count(speaker); ++word) {
        part.SpeakerWordPieces(speaker, word, pieces);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bank bank({1}, "", 1);
  if (size == 0) return 0;
  const std::span<const std::uint8_t> bytes(data + 1, size - 1);
  const std::size_t first = std::min<std::size_t>(data[0], bytes.size());
  const bool applied = bank.ApplyRecord(bytes.first(first)).ok();
  const bool applied_too = bank.ApplyRecord(bytes.subspan(first)).ok();
  if (!applied && !applied_too) return 0;
  ReadAll(*bank.ReadAll());
  ReadAll(*bank.Read(1'700'000'000'000));
  ReadAll(*bank.ReadAsOf(0, 0));
  bank.Superseded();
  static_cast<void>(bank.chunks().Use([&](const ChunkIndex& index) {
    PlanChunks(*bank.Read(0), index.chunked(), {}, 8);
    return dentate::Status::Ok();
  }));
  bank.Freeze();
  return 0;
}
