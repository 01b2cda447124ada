#include "bank/lookup.h"

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace dentate::bank {
namespace {

std::vector<float> WeightsByDistance(std::size_t bits) {
  std::vector<float> weights(bits + 1);
  for (std::size_t distance = 0; 2 * distance < bits; ++distance) {
    const double s =
        std::cos(std::numbers::pi * static_cast<double>(distance) / static_cast<double>(bits));
    weights[distance] = static_cast<float>(s * s);
  }
  return weights;
}

}  // namespace

Lookup::Lookup(const SearchQuery& query, const Cancelled& cancelled, Scratch& scratch)
    : query_(query),
      cancelled_(cancelled),
      scratch_(scratch),
      words_(scratch.slots.parts().front().part->signature_words()),
      count_(query.codes.word_of.size()),
      weights_(WeightsByDistance(words_ * 64)) {
  const std::vector<std::uint32_t>& word_of = query.codes.word_of;
  for (const std::uint32_t word : word_of) {
    codes_of_word_.push_back(static_cast<double>(std::count(word_of.begin(), word_of.end(), word)));
  }
}

double Lookup::Rarity(double document_frequency, std::uint32_t total,
                      std::uint32_t signature) const {
  const double others = std::max(0.0, static_cast<double>(total) - document_frequency);
  return std::log(1 + (others + 0.5) / (document_frequency + 0.5)) / codes_of_word_[signature];
}

bool Lookup::Prepare() {
  FindSaid();
  if (!FindBalls()) return false;
  ChooseSignatures();
  BoundVisits();
  return true;
}

bool Lookup::IsGiven(std::uint32_t signature, std::uint32_t slot) const {
  for (std::size_t i = 0; i < query_.speakers.size(); ++i) {
    const std::span<const std::uint32_t> said = SaidBy(i);
    if (query_.speaker_codes[i] == signature && std::binary_search(said.begin(), said.end(), slot))
      return true;
  }
  const std::uint32_t entry = scratch_.slots.EntryOf(slot);
  return std::any_of(query_.marks.begin(), query_.marks.end(), [&](const SearchQuery::Mark& mark) {
    return mark.code == signature && mark.begin <= entry && entry < mark.end;
  });
}

void Lookup::FindSaid() {
  const Slots& slots = scratch_.slots;
  const NameChains& names = slots.snapshot().names->speakers;
  const std::size_t speakers = query_.speakers.size();
  if (scratch_.said.size() < speakers) scratch_.said.resize(speakers);
  for (std::size_t i = 0; i < speakers; ++i) scratch_.said[i].clear();
  if (speakers == 0) return;
  std::vector<std::uint32_t> locals(speakers);
  for (std::size_t part = 0; part < slots.parts().size(); ++part) {
    const Slots::Placed& placed = slots.parts()[part];
    bool any = false;
    for (std::size_t i = 0; i < speakers; ++i) {
      locals[i] = query_.speakers[i] < names.table().size()
                      ? names.LocalIn(static_cast<std::uint32_t>(part), query_.speakers[i])
                      : kNone;
      any = any || locals[i] != kNone;
    }
    for (std::uint32_t begin = 0; any && begin < placed.size;) {
      const auto room = static_cast<std::uint32_t>(scratch_.entries.size());
      const std::uint32_t end = std::min(placed.size, begin + room);
      placed.part->Speakers(begin, end, scratch_.entries.data());
      for (std::size_t i = 0; i < speakers; ++i) {
        if (locals[i] == kNone) continue;
        for (std::uint32_t entry = begin; entry < end; ++entry) {
          if (scratch_.entries[entry - begin] != locals[i]) continue;
          const std::uint32_t slot = placed.first_slot + entry;
          if (slots.IsWanted(slot)) scratch_.said[i].push_back(slot);
        }
      }
      begin = end;
    }
  }
}

bool Lookup::FindBalls() {
  const QueryCodes& codes = query_.codes;
  const std::span<const Slots::Placed> parts = scratch_.slots.parts();
  if (scratch_.balls.size() < count_ * parts.size()) {
    scratch_.balls.resize(count_ * parts.size());
  }
  holders_.assign(count_ * weights_.size(), 0);
  for (std::size_t i = 0; i < count_; ++i) {
    std::uint64_t* const holders = holders_.data() + i * weights_.size();
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (cancelled_()) return false;
      Ball& ball = scratch_.balls[i * parts.size() + part];
      if (codes.known != nullptr) {
        scratch_.finder.SetKnown(codes.known->Of(parts[part].part->id(), i));
      }
      parts[part].part->FindBall(std::span(codes.signatures).subspan(i * words_, words_),
                                 codes.stems.empty() ? nullptr : &codes.stems[i], codes.radius,
                                 scratch_.finder, ball);
      for (std::size_t j = 0; j < ball.codes.size(); ++j) {
        holders[ball.distances[j]] += parts[part].part->EntriesWith(ball.codes[j]);
      }
    }
  }
  return true;
}

void Lookup::ChooseSignatures() {
  rarities_.resize(count_);
  for (std::uint32_t i = 0; i < count_; ++i) {
    std::uint64_t given = 0;
    ForEachGiven(i, [&given](std::uint32_t) { ++given; });
    auto bound = static_cast<double>(given);
    for (std::size_t distance = 0; distance < weights_.size(); ++distance) {
      bound += double{weights_[distance]} *
               static_cast<double>(holders_[i * weights_.size() + distance]);
    }
    rarities_[i] = Rarity(bound, scratch_.slots.current_count(), i);
  }
  counted_.resize(count_);
  std::iota(counted_.begin(), counted_.end(), 0U);
  std::stable_sort(counted_.begin(), counted_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return rarities_[a] > rarities_[b];
  });
  if (count_ > query_.weights.codes) counted_.resize(query_.weights.codes);
  // Back in the question's order: what is summed in it does not depend on how rare words were.
  std::sort(counted_.begin(), counted_.end());
  double total = 0;
  for (const std::uint32_t i : counted_) total += rarities_[i];
  least_share_ = query_.weights.prune * total;
}

// Raises least_share_ until the codes that reach it have few enough entries in all, or are those of
// the greatest share alone.
void Lookup::BoundVisits() {
  const std::uint32_t wanted = std::max(1U, scratch_.slots.wanted_count());
  const std::uint64_t limit = std::uint64_t{query_.weights.visits} *
                              std::clamp(scratch_.slots.current_count() / wanted, 1U, kMostVisits);
  std::vector<std::pair<double, std::uint64_t>> shares;  // and the entries
  std::uint64_t visits = 0;
  for (const std::uint32_t i : counted_) {
    for (std::size_t distance = 0; distance < weights_.size(); ++distance) {
      const std::uint64_t holders = holders_[i * weights_.size() + distance];
      if (holders == 0 || !Counts(i, static_cast<std::uint16_t>(distance))) continue;
      shares.emplace_back(rarities_[i] * double{weights_[distance]}, holders);
      visits += holders;
    }
  }
  if (visits <= limit) return;
  std::sort(shares.begin(), shares.end());
  for (std::size_t i = 0; i < shares.size() && visits > limit;) {
    const double share = shares[i].first;
    if (share == shares.back().first) break;
    while (shares[i].first == share) visits -= shares[i++].second;
    least_share_ = shares[i].first;
  }
}

}  // namespace dentate::bank
