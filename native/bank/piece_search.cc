#include "bank/piece_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "text/token_breaks.h"

namespace dentate::bank {
namespace {

constexpr std::size_t kFilterBits = 4096;

std::size_t FilterBit(std::uint32_t code) noexcept {
  return (code * std::uint64_t{0x9e3779b97f4a7c15}) >> 52;
}
static_assert(std::size_t{1} << (64 - 52) == kFilterBits);

}  // namespace

std::size_t PieceScratch::SizeInBytes() const noexcept {
  return members.capacity() * sizeof(Member) + filter.capacity() * sizeof(std::uint64_t) +
         (tokens.capacity() + codes.capacity() + starts.capacity() + ends.capacity() +
          order.capacity()) *
             sizeof(std::uint32_t) +
         code_spans.capacity() * sizeof(Interval32) +
         (own.capacity() + words.capacity()) * sizeof(float);
}

PieceSearch::PieceSearch(const SearchQuery& query, const Slots& slots, const Lookup& lookup,
                         std::span<const float> shares, double mean_codes, PieceScratch& scratch)
    : query_(query),
      slots_(slots),
      lookup_(lookup),
      shares_(shares),
      mean_codes_(mean_codes),
      scratch_(scratch),
      part_(slots.parts().size()) {}

bool PieceSearch::Replace(std::vector<FoundPiece>& items, const Cancelled& cancelled) {
  found_.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i % 16 == 0 && cancelled()) return false;
    items[i].kind = KindOf(items[i].slot);
    if (i < query_.weights.cut && Cut(items[i].slot)) {
      PushPieces(items[i]);
    } else {
      Push(items[i], 0);
    }
  }
  std::sort(found_.begin(), found_.end(), IsBetter);
  if (found_.size() > query_.limit) found_.resize(query_.limit);
  std::swap(items, found_);
  return true;
}

bool PieceSearch::IsOf(std::uint32_t roles, std::uint32_t slot) const {
  if (roles == 0) return false;
  const Slots::Placed& placed = slots_.PartOf(slot);
  return (roles >> placed.part->Role(slot - placed.first_slot) & 1) != 0;
}

Kind PieceSearch::KindOf(std::uint32_t slot) const {
  const SearchWeights& weights = query_.weights;
  if (weights.bulky == 0) return Kind::kSaid;
  if (IsOf(weights.bulky, slot)) return Kind::kOutput;
  for (std::size_t k = 0; k < kReach && IsOf(weights.acting, slot); ++k) {
    slot = slots_.Next(slot);
    if (slot == kNone) return Kind::kSaid;
    if (IsOf(weights.bulky, slot)) return Kind::kAction;
  }
  return Kind::kSaid;
}

void PieceSearch::PushPieces(const FoundPiece& entry) {
  const std::size_t pieces = scratch_.ends.size();
  const std::span<const float> words = scratch_.words;
  scratch_.order.resize(pieces);
  std::iota(scratch_.order.begin(), scratch_.order.end(), 0U);
  std::stable_sort(scratch_.order.begin(), scratch_.order.end(),
                   [words](std::uint32_t a, std::uint32_t b) { return words[a] > words[b]; });
  for (std::size_t better = 0; better < pieces; ++better) {
    const std::uint32_t p = scratch_.order[better];
    const float less = (1 - query_.weights.entry_share) * (entry.words - words[p]);
    FoundPiece piece = entry;
    piece.score -= less;
    piece.words -= less;
    piece.begin = p == 0 ? 0 : scratch_.ends[p - 1];
    piece.end = scratch_.ends[p];
    piece.cut = true;
    piece.codes = scratch_.code_spans[p];
    Push(piece, better);
  }
}

void PieceSearch::Push(FoundPiece piece, std::size_t better) {
  if (piece.kind != Kind::kSaid) {
    const SearchWeights& weights = query_.weights;
    const std::uint32_t free =
        piece.kind == Kind::kOutput ? weights.bulk_free : weights.action_free;
    const double length = std::max(1.0, static_cast<double>(piece.end - piece.begin) / free);
    const auto price = static_cast<float>(std::pow(length, -double{weights.bulk_price}));
    const auto way = 1 / (1 + weights.give_way * static_cast<float>(better));
    const float place =
        std::ldexp(piece.place, -static_cast<int>(std::min<std::size_t>(better, 64)));
    piece.score = price * (way * (piece.score - piece.place) + place);
    piece.words *= price * way;
    piece.dense *= price * way;
    piece.place = price * place;
  }
  found_.push_back(piece);
}

// False where the entry stays whole. Then piece i is [i == 0 ? 0 : ends[i - 1], ends[i]), and
// words[i] is its words(p).
bool PieceSearch::Cut(std::uint32_t slot) {
  const Slots::Placed& placed = slots_.PartOf(slot);
  const Interval32 span = placed.part->TokenSpan(slot - placed.first_slot);
  if (span.size() <= query_.weights.whole) return false;
  scratch_.tokens.resize(span.size());
  placed.part->Tokens(span.begin, span.end, scratch_.tokens.data());
  text::CutTokens(scratch_.tokens, query_.breaks, query_.weights.piece, scratch_.ends);
  if (scratch_.ends.size() == 1) return false;
  Match(placed, slot);
  AddWords();
  return true;
}

void PieceSearch::GatherMembers(std::size_t part) {
  if (part == part_) return;
  part_ = part;
  scratch_.members.clear();
  scratch_.filter.assign(kFilterBits / 64, 0);
  for (const std::uint32_t signature : lookup_.counted()) {
    const Ball& ball = lookup_.BallOf(signature, part);
    for (std::size_t i = 0; i < ball.codes.size(); ++i) {
      const float weight = lookup_.weights()[ball.distances[i]];
      if (!(weight > 0)) break;
      scratch_.members.push_back({ball.codes[i], signature, weight});
      const std::size_t bit = FilterBit(ball.codes[i]);
      scratch_.filter[bit / 64] |= std::uint64_t{1} << bit % 64;
    }
  }
  std::sort(scratch_.members.begin(), scratch_.members.end(),
            [](const PieceScratch::Member& a, const PieceScratch::Member& b) {
              return a.code < b.code || (a.code == b.code && a.signature < b.signature);
            });
}

// Fills own and code_spans.
void PieceSearch::Match(const Slots::Placed& placed, std::uint32_t slot) {
  GatherMembers(static_cast<std::size_t>(&placed - slots_.parts().data()));
  const std::uint32_t entry = slot - placed.first_slot;
  const std::size_t pieces = scratch_.ends.size();
  const std::uint32_t first_token = placed.part->TokenSpan(entry).begin;
  const Interval32 span = placed.part->CodeSpan(entry);
  scratch_.codes.clear();
  scratch_.starts.clear();
  placed.part->Codes(span.begin, span.end, scratch_.codes, &scratch_.starts);
  scratch_.own.assign(shares_.size() * pieces, 0.0F);
  scratch_.code_spans.assign(pieces, {span.begin, span.begin});
  std::size_t piece = 0;
  for (std::size_t i = 0; i < scratch_.codes.size(); ++i) {
    const std::uint32_t at = span.begin + static_cast<std::uint32_t>(i);
    for (; scratch_.starts[i] - first_token >= scratch_.ends[piece]; ++piece) {
      scratch_.code_spans[piece + 1] = {at, at};
    }
    scratch_.code_spans[piece].end = at + 1;
    const std::uint32_t code = scratch_.codes[i];
    const std::size_t bit = FilterBit(code);
    if ((scratch_.filter[bit / 64] >> bit % 64 & 1) == 0) continue;
    auto member =
        std::lower_bound(scratch_.members.begin(), scratch_.members.end(), code,
                         [](const PieceScratch::Member& a, std::uint32_t b) { return a.code < b; });
    for (; member != scratch_.members.end() && member->code == code; ++member) {
      float& own = scratch_.own[member->signature * pieces + piece];
      own = std::max(own, member->weight);
    }
  }
  for (const std::uint32_t signature : lookup_.counted()) {
    if (!lookup_.IsGiven(signature, slot)) continue;
    std::fill_n(scratch_.own.begin() + static_cast<std::ptrdiff_t>(signature * pieces), pieces,
                1.0F);
  }
}

// own -> words.
void PieceSearch::AddWords() {
  const std::size_t pieces = scratch_.ends.size();
  scratch_.words.assign(pieces, 0.0F);
  const float length = query_.weights.length;
  const float of_code = mean_codes_ > 0 ? static_cast<float>(double{length} / mean_codes_) : 0;
  for (const std::uint32_t signature : lookup_.counted()) {
    float* const own = scratch_.own.data() + signature * pieces;
    for (std::size_t p = 0; p < pieces; ++p) {
      own[p] /= 1 - length + of_code * static_cast<float>(scratch_.code_spans[p].size());
    }
    for (std::size_t p = 0; p < pieces; ++p) {
      float z = own[p];
      for (std::size_t k = 1; k <= kReach; ++k) {
        const float weight = query_.weights.neighbours[k - 1];
        if (p >= k) z = std::max(z, weight * own[p - k]);
        if (p + k < pieces) z = std::max(z, weight * own[p + k]);
      }
      scratch_.words[p] += shares_[signature] * z;
    }
  }
}

}  // namespace dentate::bank
