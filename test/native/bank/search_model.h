// Searches over a list of turns, every question answered by walking all of it.

#ifndef DENTATE_TEST_NATIVE_BANK_SEARCH_MODEL_H_
#define DENTATE_TEST_NATIVE_BANK_SEARCH_MODEL_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "bank/query.h"
#include "bank/random_batches.h"
#include "signatures/word_vectors.h"

namespace dentate::bank::test {

// Vectors of six dimensions: what matters is that each word has its own.
class TestVectors final : public signatures::WordVectors {
 public:
  std::size_t dimensions() const noexcept override { return 6; }
  void AddWeighted(std::span<const std::uint32_t> pieces, std::uint64_t stem,
                   std::span<std::int32_t> sum) const override {
    std::uint64_t bits = pieces.empty() ? stem * 7919 : 0;
    for (const std::uint32_t piece : pieces) bits += piece * std::uint64_t{2'654'435'761};
    for (std::int32_t& component : sum) {
      bits = bits * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
      component += static_cast<std::int32_t>(bits >> 50) - 8000;
    }
  }
  void Prefetch(std::span<const std::uint32_t>) const noexcept override {}
};

class SearchModel {
 public:
  std::vector<TestTurn> turns;
  std::vector<bool> current;

  struct Scores {
    std::vector<double> total, signature, dense, place;  // by entry
  };

  // Of a query whose weights leave nothing out. Without candidates: every entry is one.
  Scores Score(const SearchQuery& query) const {
    const std::size_t n = turns.size();
    Scores scores{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n),
                  std::vector<double>(n)};
    const double wanted =
        static_cast<double>(std::count_if(turns.begin(), turns.end(), [&](const TestTurn& turn) {
          return Wanted(query.allowed.get(), static_cast<std::uint32_t>(&turn - turns.data()));
        }));
    double total = 0;
    for (std::uint32_t q = 0; q < query.codes.word_of.size(); ++q) {
      std::vector<double> matches(n);
      double df = 0;
      for (std::uint32_t entry = 0; entry < n; ++entry) {
        if (!Wanted(query.allowed.get(), entry)) continue;
        matches[entry] = Match(query, q, entry, turns[entry]);
        df += matches[entry];
        if (matches[entry] > 0) matches[entry] /= Length(query.weights.length, turns[entry]);
      }
      const auto& word_of = query.codes.word_of;
      const auto rows = std::count(word_of.begin(), word_of.end(), word_of[q]);
      const double rarity =
          std::log(1 + (std::max(0.0, wanted - df) + 0.5) / (df + 0.5)) / static_cast<double>(rows);
      total += rarity;
      const std::vector<double> shining = Shine(query, matches);
      for (std::size_t entry = 0; entry < n; ++entry) {
        scores.signature[entry] += rarity * shining[entry];
      }
    }
    for (std::uint32_t entry = 0; entry < n; ++entry) {
      if (total > 0) scores.signature[entry] /= total;
      scores.total[entry] = scores.signature[entry];
      const auto& named = query.speakers;
      if (std::find(named.begin(), named.end(), turns[entry].speaker) != named.end()) {
        scores.total[entry] += double{query.weights.speaker};
      }
    }
    // What boosts give is a share of the best of those.
    double best = 0;
    for (std::uint32_t entry = 0; entry < n; ++entry) {
      if (Wanted(query.allowed.get(), entry)) best = std::max(best, scores.total[entry]);
    }
    for (std::uint32_t entry = 0; entry < n; ++entry) {
      for (const SearchQuery::Boost& boost : query.boosts) {
        if (boost.begin > entry || entry >= boost.end) continue;
        scores.place[entry] += double{boost.weight} * (best > 0 ? best : 1);
      }
      scores.total[entry] += scores.place[entry];
      if (!query.vector.empty() && current[entry]) {
        scores.dense[entry] = Cosine(query.vector, entry);
        scores.total[entry] += double{query.weights.dense} * scores.dense[entry];
      }
    }
    return scores;
  }

  // words(p) of the piece number `p` of an entry whose pieces have these ends.
  double PieceWords(const SearchQuery& query, std::uint32_t entry,
                    const std::vector<std::uint32_t>& ends, std::size_t p,
                    const std::vector<float>& shares) const {
    double sum = 0;
    for (std::uint32_t q = 0; q < shares.size(); ++q) {
      const auto own = [&](std::size_t i) {
        TestTurn piece = turns[entry];
        std::erase_if(piece.codes, [&](const TestCode& code) {
          return code.token < (i == 0 ? 0 : ends[i - 1]) || code.token >= ends[i];
        });
        return Match(query, q, entry, piece) / Length(query.weights.length, piece);
      };
      double z = own(p);
      for (std::size_t k = 1; k <= kReach; ++k) {
        const double weight = query.weights.neighbours[k - 1];
        if (p >= k) z = std::max(z, weight * own(p - k));
        if (p + k < ends.size()) z = std::max(z, weight * own(p + k));
      }
      sum += static_cast<double>(shares[q]) * z;
    }
    return sum;
  }

  bool Wanted(const EntryMask* allowed, std::uint32_t entry) const {
    return current[entry] && (allowed == nullptr || (entry < allowed->size() && (*allowed)[entry]));
  }

  // Score of the conjunctive search; 0 where a signature is missing.
  double ScoreAll(const ConjunctiveQuery& query, std::uint32_t entry) const {
    const std::size_t count = query.codes.signatures.size() / kTestWords;
    double sum = 0;
    for (std::uint32_t q = 0; q < count; ++q) {
      std::uint32_t nearest = UINT32_MAX;
      for (const TestCode& code : turns[entry].codes) {
        nearest = std::min(nearest, Distance(query.codes, q, code.word));
      }
      if (nearest > query.codes.radius) return 0;
      sum += std::cos(std::numbers::pi * nearest / (64.0 * kTestWords));
    }
    return sum / static_cast<double>(count);
  }

 private:
  static std::uint32_t Distance(const QueryCodes& query, std::uint32_t q, const TestWord& word) {
    if (!query.stems.empty() && query.stems[q] == word.stem) return 0;
    std::uint32_t distance = 0;
    for (std::size_t i = 0; i < kTestWords; ++i) {
      distance += static_cast<std::uint32_t>(
          std::popcount(query.signatures[q * kTestWords + i] ^ word.signature[i]));
    }
    return distance;
  }

  // `turn`: the entry, or a piece of it.
  double Match(const SearchQuery& query, std::uint32_t q, std::uint32_t entry,
               const TestTurn& turn) const {
    for (const SearchQuery::Mark& mark : query.marks) {
      if (mark.code == q && mark.begin <= entry && entry < mark.end) return 1;
    }
    for (std::size_t i = 0; i < query.speakers.size(); ++i) {
      if (query.speaker_codes[i] == q && turns[entry].speaker == query.speakers[i]) return 1;
    }
    double best = 0;
    for (const TestCode& code : turn.codes) {
      const std::uint32_t distance = Distance(query.codes, q, code.word);
      if (distance > query.codes.radius || 2 * distance >= 64 * kTestWords) continue;
      best =
          std::max(best, std::pow(std::cos(std::numbers::pi * distance / (64.0 * kTestWords)), 2));
    }
    return best;
  }

  double Length(double weight, const TestTurn& turn) const {
    double codes = 0;
    double entries = 0;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (!current[i]) continue;
      codes += static_cast<double>(turns[i].codes.size());
      entries += 1;
    }
    return 1 - weight +
           (codes > 0 ? weight * static_cast<double>(turn.codes.size()) * entries / codes : 0);
  }

  // The current entries around one in its session: the k-th before (k < 0) or after it, or none.
  std::uint32_t Neighbour(std::uint32_t entry, int k) const {
    const int step = k < 0 ? -1 : 1;
    auto at = static_cast<std::int64_t>(entry);
    while (k != 0) {
      at += step;
      if (at < 0 || at >= static_cast<std::int64_t>(turns.size())) return kNone;
      const auto i = static_cast<std::size_t>(at);
      if (current[i] && turns[i].session == turns[entry].session) k -= step;
    }
    return static_cast<std::uint32_t>(at);
  }

  std::vector<double> Shine(const SearchQuery& query, const std::vector<double>& matches) const {
    std::vector<double> shining = matches;
    for (std::uint32_t entry = 0; entry < turns.size(); ++entry) {
      for (int k = -static_cast<int>(kReach); k <= static_cast<int>(kReach); ++k) {
        if (k == 0 || matches[entry] == 0) continue;
        const std::uint32_t other = Neighbour(entry, k);
        if (other == kNone) continue;
        const double weight = query.weights.neighbours[static_cast<std::size_t>(std::abs(k)) - 1];
        shining[other] = std::max(shining[other], weight * matches[entry]);
      }
    }
    return shining;
  }

  std::vector<double> VectorOf(std::uint32_t entry) const {
    const TestVectors vectors;
    std::vector<std::int32_t> sum(vectors.dimensions());
    const TestTurn& turn = turns[entry];
    for (const TestCode& code : turn.codes)
      vectors.AddWeighted(code.word.pieces, code.word.stem, sum);
    for (std::uint32_t word = 0; turn.speaker != kNone && word < turn.speaker % 3; ++word) {
      std::vector<std::uint32_t> pieces;
      for (std::uint32_t piece = 0; piece < word; ++piece) pieces.push_back(turn.speaker + piece);
      vectors.AddWeighted(pieces, OwnedBatch::SpeakerStem(turn.speaker, word), sum);
    }
    std::vector<double> unit(sum.begin(), sum.end());
    const double length =
        std::sqrt(std::inner_product(unit.begin(), unit.end(), unit.begin(), 0.0));
    for (double& component : unit) component = length > 0 ? component / length : 0;
    return unit;
  }

  double Cosine(const std::vector<float>& query, std::uint32_t entry) const {
    std::vector<double> window(query.size());
    for (int k = -2; k <= 2; ++k) {
      const std::uint32_t other = Neighbour(entry, k);
      if (other == kNone) continue;
      const std::vector<double> vector = VectorOf(other);
      for (std::size_t j = 0; j < window.size(); ++j) window[j] += vector[j] / (1 << std::abs(k));
    }
    double inner = 0;
    double left = 0;
    double right = 0;
    for (std::size_t j = 0; j < window.size(); ++j) {
      inner += window[j] * double{query[j]};
      left += window[j] * window[j];
      right += double{query[j]} * double{query[j]};
    }
    return left > 0 && right > 0 ? inner / std::sqrt(left * right) : 0;
  }
};

}  // namespace dentate::bank::test

#endif  // DENTATE_TEST_NATIVE_BANK_SEARCH_MODEL_H_
