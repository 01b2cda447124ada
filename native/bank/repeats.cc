#include "bank/repeats.h"

#include <algorithm>

namespace dentate::bank {
namespace {

constexpr std::size_t kTokensOfItem = 8;
constexpr std::size_t kFirstTable = 1024;  // a power of two
// An empty place. Stems are 64-bit hashes: one that were this would count as heard, and that is
// all.
constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

void Scale(FoundPiece& piece, float by) {
  piece.score *= by;
  piece.words *= by;
  piece.dense *= by;
  piece.place *= by;
}

}  // namespace

bool Repeats::Lower(std::vector<FoundPiece>& items, const Cancelled& cancelled) {
  const auto is_output = [](const FoundPiece& piece) { return piece.kind == Kind::kOutput; };
  if (std::none_of(items.begin(), items.end(), is_output)) return true;
  scratch_.stems.clear();
  scratch_.heard.assign(kFirstTable, kEmpty);
  heard_ = 0;
  words_.assign(items.size(), {});
  std::vector<FoundPiece> placed;
  std::vector<Waiting> waiting;  // a heap, best on top
  const auto worse = [](const Waiting& a, const Waiting& b) { return IsBetter(b.piece, a.piece); };
  std::size_t next = 0;
  std::size_t tokens = 0;
  for (std::size_t looks = 0; next < items.size() || !waiting.empty(); ++looks) {
    if (looks % 64 == 0 && cancelled()) return false;
    Waiting best;
    if (waiting.empty() || (next < items.size() && IsBetter(items[next], waiting[0].piece))) {
      best = {items[next], next};
      ++next;
    } else {
      std::pop_heap(waiting.begin(), waiting.end(), worse);
      best = waiting.back();
      waiting.pop_back();
    }
    if (tokens < kTokensOfItem * query_.limit) {
      if (is_output(best.piece) && best.piece.score > 0) {
        const float full = items[best.item].score;
        const float lowered = Lowered(best.piece, full, best.item);
        if (lowered < best.piece.score) {
          best.piece = items[best.item];
          Scale(best.piece, lowered / full);
          const bool stays = (waiting.empty() || !IsBetter(waiting[0].piece, best.piece)) &&
                             (next == items.size() || !IsBetter(items[next], best.piece));
          if (!stays) {
            waiting.push_back(best);
            std::push_heap(waiting.begin(), waiting.end(), worse);
            continue;
          }
        }
      }
      for (const std::uint64_t stem : WordsOf(best.piece, best.item)) Hear(stem);
      tokens += best.piece.end - best.piece.begin;
    }
    placed.push_back(best.piece);
  }
  std::swap(items, placed);
  return true;
}

float Repeats::Lowered(const FoundPiece& piece, float full, std::size_t item) {
  const auto words = WordsOf(piece, item);
  if (words.empty()) return full;
  const auto heard = std::count_if(words.begin(), words.end(),
                                   [this](std::uint64_t stem) { return IsHeard(stem); });
  const float share = static_cast<float>(heard) / static_cast<float>(words.size());
  return full * (1 - query_.weights.repeat * share);
}

std::span<const std::uint64_t> Repeats::WordsOf(const FoundPiece& piece, std::size_t item) {
  Words& words = words_[item];
  std::vector<std::uint64_t>& stems = scratch_.stems;
  if (!words.known) {
    const Slots::Placed& placed = slots_.PartOf(piece.slot);
    const Interval32 span =
        piece.cut ? piece.codes : placed.part->CodeSpan(piece.slot - placed.first_slot);
    scratch_.codes.clear();
    placed.part->Codes(span.begin, span.end, scratch_.codes, nullptr);
    words.begin = stems.size();
    for (const std::uint32_t code : scratch_.codes) stems.push_back(placed.part->Stem(code));
    const auto first = stems.begin() + static_cast<std::ptrdiff_t>(words.begin);
    std::sort(first, stems.end());
    stems.erase(std::unique(first, stems.end()), stems.end());
    words.end = stems.size();
    words.known = true;
  }
  return std::span(stems).subspan(words.begin, words.end - words.begin);
}

// An open hash table of stems.
bool Repeats::IsHeard(std::uint64_t stem) const {
  const std::size_t mask = scratch_.heard.size() - 1;
  for (std::size_t at = stem & mask;; at = (at + 1) & mask) {
    if (scratch_.heard[at] == stem) return true;
    if (scratch_.heard[at] == kEmpty) return false;
  }
}

void Repeats::Hear(std::uint64_t stem) {
  if (IsHeard(stem)) return;
  if (2 * (heard_ + 1) > scratch_.heard.size()) Grow();
  const std::size_t mask = scratch_.heard.size() - 1;
  std::size_t at = stem & mask;
  while (scratch_.heard[at] != kEmpty) at = (at + 1) & mask;
  scratch_.heard[at] = stem;
  ++heard_;
}

void Repeats::Grow() {
  std::vector<std::uint64_t> larger(2 * scratch_.heard.size(), kEmpty);
  const std::size_t mask = larger.size() - 1;
  for (const std::uint64_t stem : scratch_.heard) {
    if (stem == kEmpty) continue;
    std::size_t at = stem & mask;
    while (larger[at] != kEmpty) at = (at + 1) & mask;
    larger[at] = stem;
  }
  std::swap(scratch_.heard, larger);
}

}  // namespace dentate::bank
