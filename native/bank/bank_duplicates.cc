// Turns that the bank holds already, and the appending of the others.

#include <algorithm>
#include <new>
#include <unordered_map>
#include <utility>

#include "bank/bank.h"
#include "bank/content_hash.h"
#include "bank/live_part.h"

namespace dentate::bank {
namespace {

// A turn of a batch, as duplicates are told by.
struct Turn {
  std::span<const std::uint32_t> tokens;
  std::uint8_t role = 0;
  std::string_view session, speaker;
  bool has_speaker = false;

  bool operator==(const Turn& other) const {
    return role == other.role && has_speaker == other.has_speaker && session == other.session &&
           speaker == other.speaker && std::ranges::equal(tokens, other.tokens);
  }
};

bool Equals(const Part& part, std::uint32_t entry, const Turn& turn,
            std::vector<std::uint32_t>& tokens) {
  const EntryRow row = part.Row(entry);
  if (row.session == kNone || row.role != turn.role || (row.speaker != kNone) != turn.has_speaker ||
      part.SessionName(row.session) != turn.session ||
      (turn.has_speaker && part.SpeakerName(row.speaker) != turn.speaker)) {
    return false;
  }
  const Interval32 span = part.TokenSpan(entry);
  if (span.size() != turn.tokens.size()) return false;
  tokens.resize(span.size());
  part.Tokens(span.begin, span.end, tokens.data());
  return std::ranges::equal(tokens, turn.tokens);
}

// The entries of a batch that are kept: the arrays of a smaller batch.
struct KeptBatch {
  std::vector<std::uint32_t> token_counts, code_counts, extras_lengths, sessions, speakers, origins;
  std::vector<std::uint8_t> roles, extras;
  std::vector<double> at, ingested, expires;
  std::vector<std::uint32_t> tokens, pieces, piece_counts, code_tokens;
  std::vector<std::uint64_t> signatures, stems;

  KeptBatch(const Batch& batch, std::span<const std::uint8_t> left_out, std::size_t words);
  Batch View(const Batch& whole) const;
};

template <typename T>
void Take(std::vector<T>& out, std::span<const T> from, std::size_t begin, std::size_t count) {
  const auto taken = from.subspan(begin, count);
  out.insert(out.end(), taken.begin(), taken.end());
}

KeptBatch::KeptBatch(const Batch& batch, std::span<const std::uint8_t> left_out,
                     std::size_t words) {
  std::size_t token = 0, code = 0, piece = 0, extra = 0;
  for (std::size_t i = 0; i < batch.sessions.size(); ++i) {
    const std::size_t code_count = batch.code_counts[i];
    std::size_t piece_count = 0;
    for (std::size_t k = 0; k < code_count; ++k) piece_count += batch.words.piece_counts[code + k];
    if (left_out[i] == 0) {
      token_counts.push_back(batch.token_counts[i]);
      code_counts.push_back(batch.code_counts[i]);
      extras_lengths.push_back(batch.extras_lengths[i]);
      sessions.push_back(batch.sessions[i]);
      speakers.push_back(batch.speakers[i]);
      origins.push_back(batch.origins[i]);
      roles.push_back(batch.roles[i]);
      at.push_back(batch.at[i]);
      ingested.push_back(batch.ingested[i]);
      expires.push_back(batch.expires[i]);
      Take(tokens, batch.tokens, token, batch.token_counts[i]);
      Take(extras, batch.extras, extra, batch.extras_lengths[i]);
      Take(signatures, batch.signatures, code * words, code_count * words);
      Take(stems, batch.words.stems, code, code_count);
      Take(piece_counts, batch.words.piece_counts, code, code_count);
      Take(pieces, batch.words.pieces, piece, piece_count);
      Take(code_tokens, batch.code_tokens, code, code_count);
    }
    token += batch.token_counts[i];
    extra += batch.extras_lengths[i];
    code += code_count;
    piece += piece_count;
  }
}

Batch KeptBatch::View(const Batch& whole) const {
  Batch batch = whole;  // names stay: those that no entry uses are passed over
  batch.token_counts = token_counts;
  batch.code_counts = code_counts;
  batch.extras_lengths = extras_lengths;
  batch.sessions = sessions;
  batch.speakers = speakers;
  batch.roles = roles;
  batch.at = at;
  batch.ingested = ingested;
  batch.expires = expires;
  batch.origins = origins;
  batch.tokens = tokens;
  batch.extras = extras;
  batch.signatures = signatures;
  batch.words = {stems, pieces, piece_counts};
  batch.code_tokens = code_tokens;
  return batch;
}

}  // namespace

// Fills in result.duplicates, and of each the entry it equals: a number of the bank, or
// next_entry() + the index of an earlier turn of the batch.
void Bank::FindDuplicates(const Batch& batch, AppendResult& result) const {
  std::vector<std::uint64_t> sessions, speakers;  // hashes of the names
  for (const std::string_view name : batch.session_names) sessions.push_back(HashOfName(name));
  for (const std::string_view name : batch.speaker_names) speakers.push_back(HashOfName(name));
  std::vector<Turn> turns(batch.sessions.size());
  std::unordered_multimap<std::uint64_t, std::uint32_t> of_batch;
  std::vector<std::uint32_t> candidates, scratch;
  std::size_t token = 0;

  const auto find = [&](std::uint32_t index, std::uint64_t hash) -> std::uint32_t {
    const Turn& turn = turns[index];
    const auto in_part = [&](const Part& part, std::uint32_t first_entry) {
      candidates.clear();
      part.FindFingerprint(static_cast<std::uint32_t>(hash), candidates);
      for (const std::uint32_t candidate : candidates) {
        if (!Equals(part, candidate, turn, scratch)) continue;
        const std::uint32_t entry = first_entry + candidate;
        const std::lock_guard lock(mutex_);
        if (facts_.IsCurrent(entry) &&
            static_cast<double>(facts_.ExpiresAt(entry)) > batch.ingested[index]) {
          return entry;
        }
      }
      return kNone;
    };
    for (const PlacedPart& placed : parts_) {
      const std::uint32_t entry = in_part(*placed.part, placed.first_entry);
      if (entry != kNone) return entry;
    }
    if (live_ != nullptr) {
      const std::uint32_t entry = in_part(*live_, live_first_);
      if (entry != kNone) return entry;
    }
    const auto [begin, end] = of_batch.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto& earlier) {
      return turns[earlier.second] == turn && batch.expires[earlier.second] > batch.ingested[index];
    });
    return same == end ? kNone : next_entry() + same->second;
  };

  for (std::uint32_t i = 0; i < turns.size(); ++i) {
    const auto tokens = batch.tokens.subspan(token, batch.token_counts[i]);
    token += tokens.size();
    if (batch.sessions[i] == kNone || batch.origins[i] != kNone) continue;
    const std::uint32_t speaker = batch.speakers[i];
    turns[i] = {tokens, batch.roles[i], batch.session_names[batch.sessions[i]],
                speaker == kNone ? std::string_view() : batch.speaker_names[speaker],
                speaker != kNone};
    const std::uint64_t hash = ContentHash(tokens, batch.roles[i], sessions[batch.sessions[i]],
                                           speaker == kNone ? 0 : speakers[speaker]);
    const std::uint32_t entry = find(i, hash);
    if (entry == kNone) {
      of_batch.emplace(hash, i);
    } else {
      result.duplicates[i] = 1;
      result.entries[i] = entry;
    }
  }
}

bool Bank::HasLivingVersion(std::uint32_t entry) const {
  const std::lock_guard lock(mutex_);
  return facts_.Newest(entry) != kNone;
}

Status Bank::Append(const Batch& batch, const Sink& sink, AppendResult& result) {
  result = AppendResult();
  result.first_entry = next_entry();
  if (Status shape = CheckBatch(batch, settings_.signature_words); !shape.ok()) return shape;
  if (!batch.befores.empty() && batch.befores.size() != batch.sessions.size()) {
    return Status(ErrorCode::kInternal, "a batch with a wrong number of versions before");
  }
  try {
    const std::size_t turns = batch.sessions.size();
    result.entries.assign(turns, kNone);
    result.duplicates.assign(turns, 0);
    FindDuplicates(batch, result);

    // The numbers that those kept get, and then those left out that equal one of them.
    std::vector<std::uint8_t> left_out(turns, 0);
    std::uint32_t next = result.first_entry;
    std::vector<std::uint32_t> numbers(turns, kNone);
    for (std::size_t i = 0; i < turns; ++i) {
      const std::uint32_t origin = batch.origins[i];
      if (batch.dedupe && result.duplicates[i] != 0) {
        left_out[i] = 1;
        const std::uint32_t equal = result.entries[i];
        if (equal >= result.first_entry) result.entries[i] = numbers[equal - result.first_entry];
      } else if ((!batch.restore && origin != kNone && !HasLivingVersion(origin)) ||
                 (!batch.befores.empty() && batch.befores[i] != kNone &&
                  Newest(origin) != batch.befores[i])) {
        left_out[i] = 1;
      } else {
        result.entries[i] = numbers[i] = next++;
      }
    }
    const std::uint32_t added = next - result.first_entry;
    if (added == 0) return Status::Ok();
    Status status;
    if (added == turns) {
      status = AppendKept(batch, sink);
    } else {
      const KeptBatch kept(batch, left_out, settings_.signature_words);
      status = AppendKept(kept.View(batch), sink);
    }
    if (status.ok()) result.added = added;
    return status;
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory, "not enough memory for the new entries");
  }
}

}  // namespace dentate::bank
