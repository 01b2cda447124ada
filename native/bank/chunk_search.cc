#include "bank/chunk_search.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>
#include <utility>

#include "bank/chunk_vector.h"

namespace dentate::bank {
namespace {

Status Aborted() { return {ErrorCode::kAborted, "the search was aborted"}; }

// Of an atom that is no candidate: less than any cosine.
constexpr float kBehindAll = -2;

// A chunk that counts.
struct Found {
  std::uint32_t number = 0;
  std::uint32_t atom = kNone;
  float score = 0;
  std::span<const ChunkPiece> pieces;
  std::uint32_t member = kNone;  // in the AtomIndex; kNone: without a record
  std::size_t open = 0;          // which of those
};

bool Before(const Found& a, const Found& b) noexcept {
  return a.score != b.score ? a.score > b.score : a.number < b.number;
}

class Searcher {
 public:
  Searcher(const Snapshot& snapshot, const signatures::WordVectors* vectors,
           const ChunkQuery& query, const ChunkIndex& index, const Cancelled& cancelled)
      : snapshot_(snapshot),
        vectors_(vectors),
        query_(query),
        index_(index),
        cancelled_(cancelled) {}

  // The atoms of the index that are to be scored: all, or the candidates.
  void ScoreAtoms(atoms::By by, std::vector<atoms::Scored>& scored) const {
    const atoms::AtomIndex& atoms = *index_.atoms();
    if (query_.candidates == nullptr) {
      atoms.Nearest(query_.vector, atoms.count(), by, scored);
      return;
    }
    std::vector<std::uint32_t> numbers = query_.candidates->atoms;
    for (std::size_t slot = index_.FirstSlotFrom(query_.candidates->from);
         slot < index_.slot_count(); ++slot) {
      std::uint32_t atom = kNone;
      if (index_.IsAlive(slot) && index_.member(slot) != kNone &&
          atoms.AtomOf(index_.member(slot), atom)) {
        numbers.push_back(atom);
      }
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    atoms.ScoresOf(query_.vector, numbers, by, scored);
  }
  // Whether the index has an atom of this number, or had.
  bool IsRecorded(std::uint32_t atom) const noexcept { return atom < next_atom_; }

  // All chunks that count, the recorded ones first. False if given up.
  bool Score(std::vector<Found>& found) {
    if (index_.atoms() != nullptr && index_.dimensions() == query_.vector.size()) {
      if (!ScoreRecorded(found)) return false;
    }
    return ScoreOpen(found);
  }

  void Push(const Found& chunk, ChunkResult& result) const {
    result.chunks.push_back(chunk.number);
    result.scores.push_back(chunk.score);
    result.atoms.push_back(chunk.atom);
    for (const ChunkPiece& piece : chunk.pieces) {
      if (!IsWanted(piece.entry)) continue;
      result.entries.push_back(piece.entry);
      result.ranges.push_back(piece.begin);
      result.ranges.push_back(piece.end);
    }
    result.offsets.push_back(static_cast<std::uint32_t>(result.entries.size()));
  }

  // Of unit length.
  void ReadVector(const Found& chunk, std::span<float> out) const {
    if (chunk.member != kNone) {
      index_.atoms()->VectorOf(chunk.member, out);
      return;
    }
    const auto vector = std::span(open_vectors_).subspan(chunk.open * out.size(), out.size());
    double squared = 0;
    for (const float value : vector) squared += double{value} * value;
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = static_cast<float>(vector[k] / std::sqrt(squared));
    }
  }

 private:
  bool IsWanted(std::uint32_t entry) const noexcept {
    return entry < snapshot_.current.size() && snapshot_.current[entry] &&
           (query_.allowed == nullptr || (*query_.allowed)[entry]);
  }
  bool IsWanted(std::span<const ChunkPiece> pieces) const noexcept {
    return std::any_of(pieces.begin(), pieces.end(),
                       [this](const ChunkPiece& piece) { return IsWanted(piece.entry); });
  }

  bool ScoreRecorded(std::vector<Found>& found) const {
    std::vector<std::uint32_t> members;
    const auto look_at = [&](std::size_t slot) {
      if (!index_.IsAlive(slot) || index_.member(slot) == kNone) return;
      const auto pieces = index_.PiecesOf(slot);
      if (!IsWanted(pieces)) return;
      Found chunk;
      chunk.number = index_.number(slot);
      chunk.pieces = pieces;
      chunk.member = index_.member(slot);
      index_.atoms()->AtomOf(index_.member(slot), chunk.atom);
      found.push_back(chunk);
      members.push_back(index_.member(slot));
    };
    std::size_t from = 0;
    if (query_.candidates != nullptr) {
      from = index_.FirstSlotFrom(query_.candidates->from);
      for (const std::uint32_t number : query_.candidates->chunks) {
        const std::size_t slot = index_.FirstSlotFrom(number);
        if (slot < from && index_.number(slot) == number) look_at(slot);
      }
    }
    for (std::size_t slot = from; slot < index_.slot_count(); ++slot) {
      if (slot % 4096 == 0 && cancelled_()) return false;
      look_at(slot);
    }
    std::vector<float> cosines(members.size());
    index_.atoms()->Cosines(query_.vector, members, cosines);
    for (std::size_t i = 0; i < found.size(); ++i) found[i].score = cosines[i];
    return true;
  }

  bool ScoreOpen(std::vector<Found>& found) {
    if (query_.embedded) {
      planned_ = query_.open;
    } else if (vectors_ != nullptr && vectors_->dimensions() == query_.vector.size()) {
      planned_ = PlanOpenChunks(snapshot_, index_.chunked(), query_.chunker);
    }
    next_atom_ = NextAtom();
    std::uint32_t alone = next_atom_;
    ChunkVectorBuilder builder;
    const std::size_t dimensions = query_.vector.size();
    open_vectors_ = query_.open_vectors;
    open_vectors_.resize(planned_.size() * dimensions);
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      if (cancelled_()) return false;
      const auto pieces = planned_.PiecesOf(i);
      if (!IsWanted(pieces)) continue;
      const auto vector = std::span(open_vectors_).subspan(i * dimensions, dimensions);
      if (!query_.embedded) builder.Build(snapshot_, pieces, *vectors_, vector);
      Found chunk;
      chunk.open = i;
      chunk.number = index_.next_chunk() + static_cast<std::uint32_t>(i);
      chunk.pieces = pieces;
      if (!Cosine(vector, chunk.score)) continue;
      chunk.atom = AtomFor(vector, alone);
      found.push_back(chunk);
    }
    return true;
  }

  // Of an atom that no chunk has.
  std::uint32_t NextAtom() const {
    if (index_.atoms() == nullptr) return 0;
    std::vector<std::uint32_t> numbers, sizes;
    index_.atoms()->Atoms(numbers, sizes);
    return numbers.empty() ? 0 : numbers.back() + 1;
  }

  // False: zeros, which are like nothing.
  bool Cosine(std::span<const float> vector, float& cosine) const {
    double inner = 0, squared = 0, asked = 0;
    for (std::size_t k = 0; k < vector.size(); ++k) {
      inner += double{vector[k]} * query_.vector[k];
      squared += double{vector[k]} * vector[k];
      asked += double{query_.vector[k]} * query_.vector[k];
    }
    if (squared == 0) return false;
    cosine = asked == 0 ? 0 : static_cast<float>(inner / std::sqrt(squared * asked));
    return true;
  }

  std::uint32_t AtomFor(std::span<const float> vector, std::uint32_t& alone) const {
    std::vector<atoms::Scored> nearest;
    if (index_.atoms() != nullptr && index_.dimensions() == vector.size() &&
        index_.atoms()->NearestMembers(vector, 1, nearest) && !nearest.empty() &&
        nearest[0].score >= index_.atoms()->options().policy.threshold) {
      std::uint32_t atom = kNone;
      index_.atoms()->AtomOf(nearest[0].number, atom);
      return atom;
    }
    return alone++;
  }

  const Snapshot& snapshot_;
  const signatures::WordVectors* const vectors_;
  const ChunkQuery& query_;
  const ChunkIndex& index_;
  const Cancelled& cancelled_;
  std::uint32_t next_atom_ = 0;  // above those of the index
  PlannedChunks planned_;
  std::vector<float> open_vectors_;
};

}  // namespace

Status SearchChunks(const Bank& bank, const Snapshot& snapshot,
                    const signatures::WordVectors* vectors, const ChunkQuery& query,
                    const Cancelled& cancelled, ChunkResult& result) {
  return bank.chunks().Use([&](const ChunkIndex& index) -> Status {
    Searcher searcher(snapshot, vectors, query, index, cancelled);
    std::vector<Found> found;
    if (!searcher.Score(found)) return Aborted();
    const std::size_t count = std::min<std::size_t>(query.limit, found.size());
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(found.begin(), end, found.end(), Before);
    result = {};
    result.offsets.push_back(0);
    for (auto chunk = found.begin(); chunk != end; ++chunk) searcher.Push(*chunk, result);
    return Status::Ok();
  });
}

Status SearchAtoms(const Bank& bank, const Snapshot& snapshot,
                   const signatures::WordVectors* vectors, const ChunkQuery& query, atoms::By by,
                   const Cancelled& cancelled, ChunkResult& result, AtomResult& nearest) {
  return bank.chunks().Use([&](const ChunkIndex& index) -> Status {
    Searcher searcher(snapshot, vectors, query, index, cancelled);
    std::vector<Found> found;
    if (!searcher.Score(found)) return Aborted();
    // What the index says of an atom; of one that only chunks without a record are in, their best.
    std::unordered_map<std::uint32_t, float> score_of;
    std::vector<atoms::Scored> ranked;
    if (index.atoms() != nullptr && index.dimensions() == query.vector.size()) {
      searcher.ScoreAtoms(by, ranked);
    }
    for (const atoms::Scored& atom : ranked) {
      score_of.emplace(atom.number, static_cast<float>(atom.score));
    }
    std::vector<Found> best_of;  // one an atom, with the atom's score
    std::unordered_map<std::uint32_t, std::vector<Found>> members;
    for (const Found& chunk : found) {
      std::vector<Found>& of_atom = members[chunk.atom];
      if (of_atom.empty()) best_of.push_back(chunk);
      of_atom.push_back(chunk);
    }
    for (Found& atom : best_of) {
      const auto scored = score_of.find(atom.atom);
      if (scored != score_of.end()) {
        atom.score = scored->second;
      } else if (query.candidates != nullptr && searcher.IsRecorded(atom.atom)) {
        atom.score = kBehindAll;
      }
      atom.number = atom.atom;
    }
    const std::size_t count = std::min<std::size_t>(query.limit, best_of.size());
    const auto end = best_of.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(best_of.begin(), end, best_of.end(), Before);
    result = {};
    nearest = {};
    result.offsets.push_back(0);
    nearest.offsets.push_back(0);
    for (auto atom = best_of.begin(); atom != end; ++atom) {
      std::vector<Found>& of_atom = members[atom->atom];
      std::sort(of_atom.begin(), of_atom.end(), Before);
      for (const Found& chunk : of_atom) searcher.Push(chunk, result);
      nearest.atoms.push_back(atom->atom);
      nearest.scores.push_back(atom->score);
      nearest.offsets.push_back(static_cast<std::uint32_t>(result.chunks.size()));
    }
    return Status::Ok();
  });
}

Status ListChunks(const Bank& bank, const Snapshot& snapshot,
                  const signatures::WordVectors* vectors, const ChunkQuery& query,
                  const Cancelled& cancelled, ChunkResult& result, std::vector<float>& values) {
  return bank.chunks().Use([&](const ChunkIndex& index) -> Status {
    Searcher searcher(snapshot, vectors, query, index, cancelled);
    std::vector<Found> found;
    if (!searcher.Score(found)) return Aborted();
    const std::size_t dimensions = query.vector.size();
    result = {};
    result.offsets.push_back(0);
    values.resize(found.size() * dimensions);
    for (std::size_t i = 0; i < found.size(); ++i) {
      searcher.Push(found[i], result);
      searcher.ReadVector(found[i], std::span(values).subspan(i * dimensions, dimensions));
    }
    return Status::Ok();
  });
}

Status CountChunks(const Bank& bank, ChunkStats& stats) {
  return bank.chunks().Use([&](const ChunkIndex& index) {
    stats = {};
    stats.chunks = index.alive_count();
    stats.threshold = index.threshold();
    if (index.atoms() != nullptr) {
      stats.atoms = index.atoms()->count();
      stats.largest = index.atoms()->Largest();
    }
    return Status::Ok();
  });
}

}  // namespace dentate::bank
