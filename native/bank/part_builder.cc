#include "bank/part_builder.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>

#include "bank/content_hash.h"
#include "bank/hash.h"
#include "bank/numbering.h"

namespace dentate::bank {
namespace {

// Streams are copied in stretches of about so many tokens; between them the caller may cancel.
constexpr std::uint32_t kStretchTokens = 1U << 14;

Status Aborted() { return {ErrorCode::kAborted, "building a part was cancelled"}; }

// Numbers names, or other texts, as they are first met.
class Texts {
 public:
  // `added`: whether the text is new.
  std::uint32_t FindOrAdd(std::string text, bool& added) {
    const auto [at, is_new] =
        numbers_.emplace(std::move(text), static_cast<std::uint32_t>(numbers_.size()));
    added = is_new;
    return at->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

class Collector {
 public:
  Collector(std::size_t signature_words, PartContents& out)
      : signature_(signature_words), out_(out) {
    out_ = PartContents();
    out_.signature_words = signature_words;
  }

  Status Add(const PartSource& source, const KeepEntry& keep, const Cancelled& cancelled) {
    source_ = &source;
    code_numbers_.assign(source.part->code_count(), kNone);
    session_numbers_.assign(source.part->session_count(), kNone);
    speaker_numbers_.assign(source.part->speaker_count(), kNone);
    for (std::uint32_t entry = 0; entry < source.size; ++entry) {
      const Kept kept{entry, source.part->Row(entry), source.part->TokenSpan(entry),
                      source.part->CodeSpan(entry)};
      const bool keeps = kept.row.session != kNone && keep(source.first_entry + entry);
      if (!keeps || !GoesOn(kept)) {
        AppendStretch();
        if (cancelled && cancelled()) return Aborted();
      }
      if (keeps) stretch_.push_back(kept);
    }
    AppendStretch();
    return Status::Ok();
  }

  void AddFacts(std::span<const PartSource> sources, const PartFacts& facts) {
    const std::uint32_t begin = sources.empty() ? kNone : sources.front().first_entry;
    const std::uint32_t end =
        sources.empty() ? 0 : sources.back().first_entry + sources.back().size;
    if (out_.sessions.empty()) out_.first_entry = std::min(begin, facts.next_entry);
    // A number outside the sources is somebody else's; inside it needs a row that was kept.
    const auto needed = [&](std::uint32_t entry) {
      if (entry < begin || entry >= end) return true;
      const std::uint32_t row = entry - out_.first_entry;
      return entry >= out_.first_entry && row < out_.sessions.size() && out_.sessions[row] != kNone;
    };
    const auto copy = [&](const auto& from, auto& to) {
      std::copy_if(from.begin(), from.end(), std::back_inserter(to),
                   [&](const auto& fact) { return needed(fact.entry); });
    };
    copy(facts.versions, out_.facts.versions);
    copy(facts.expiries, out_.facts.expiries);
    copy(facts.strengths, out_.facts.strengths);
    std::vector<std::uint32_t> deleted;
    std::copy_if(facts.deleted.begin(), facts.deleted.end(), std::back_inserter(deleted), needed);
    std::vector<std::uint32_t> erased;
    for (std::uint32_t row = 0; row < out_.sessions.size(); ++row) {
      if (out_.sessions[row] == kNone) erased.push_back(out_.first_entry + row);
    }
    std::set_union(deleted.begin(), deleted.end(), erased.begin(), erased.end(),
                   std::back_inserter(out_.facts.deleted));
    out_.facts.next_entry = std::max(facts.next_entry, end);
  }

 private:
  struct Kept {
    std::uint32_t entry;
    EntryRow row;
    Interval32 tokens, codes;
  };

  // Whether the entry's streams follow those of the stretch.
  bool GoesOn(const Kept& kept) const {
    if (stretch_.empty()) return true;
    const Kept& last = stretch_.back();
    return kept.tokens.begin == last.tokens.end && kept.codes.begin == last.codes.end &&
           kept.tokens.end - stretch_.front().tokens.begin <= kStretchTokens;
  }

  void AppendStretch() {
    if (stretch_.empty()) return;
    const Part& part = *source_->part;
    const Interval32 tokens{stretch_.front().tokens.begin, stretch_.back().tokens.end};
    const Interval32 codes{stretch_.front().codes.begin, stretch_.back().codes.end};
    tokens_.resize(tokens.size());
    part.Tokens(tokens.begin, tokens.end, tokens_.data());
    codes_.clear();
    code_tokens_.clear();
    part.Codes(codes.begin, codes.end, codes_, &code_tokens_);
    for (const Kept& kept : stretch_) {
      const std::span<const std::uint32_t> all(tokens_);
      AppendRow(kept, all.subspan(kept.tokens.begin - tokens.begin, kept.tokens.size()));
      AppendCodes(kept, codes.begin);
      out_.token_ends.push_back(out_.tokens.size());
      out_.code_ends.push_back(out_.codes.size());
    }
    stretch_.clear();
  }

  // All of the row but where its streams end.
  void AppendRow(const Kept& kept, std::span<const std::uint32_t> tokens) {
    const std::uint32_t number = source_->first_entry + kept.entry;
    if (out_.sessions.empty()) out_.first_entry = number;
    while (out_.first_entry + out_.sessions.size() < number) AppendErased();
    const EntryRow& row = kept.row;
    out_.sessions.push_back(SessionNumber(row.session));
    out_.speakers.push_back(SpeakerNumber(row.speaker));
    out_.roles.push_back(row.role);
    out_.at.push_back(row.at);
    out_.ingested.push_back(row.ingested);
    out_.extras.push_back(ExtrasNumber(kept.entry));
    const std::uint32_t speaker = out_.speakers.back();
    out_.fingerprints.push_back(Fingerprint(tokens, row.role, session_hashes_[out_.sessions.back()],
                                            speaker == kNone ? 0 : speaker_hashes_[speaker]));
    for (const std::uint32_t token : tokens) {
      const std::uint32_t symbol = symbols_.FindOrAdd(
          Mix(token), [&](std::uint32_t other) { return out_.token_ids[other] == token; },
          [&](std::uint32_t other) { return Mix(out_.token_ids[other]); });
      if (symbol == out_.token_ids.size()) out_.token_ids.push_back(token);
      out_.tokens.push_back(symbol);
    }
  }

  void AppendErased() {
    out_.sessions.push_back(kNone);
    out_.speakers.push_back(kNone);
    out_.roles.push_back(0);
    out_.at.push_back(0);
    out_.ingested.push_back(0);
    out_.extras.push_back(0);
    out_.fingerprints.push_back(0);
    out_.token_ends.push_back(out_.tokens.size());
    out_.code_ends.push_back(out_.codes.size());
  }

  void AppendCodes(const Kept& kept, std::uint32_t first_code) {
    const auto entry = static_cast<std::uint32_t>(out_.sessions.size() - 1);
    const std::size_t first_token = out_.tokens.size() - kept.tokens.size();
    for (std::uint32_t i = kept.codes.begin - first_code; i < kept.codes.end - first_code; ++i) {
      const std::uint32_t code = CodeNumber(codes_[i]);
      out_.codes.push_back(code);
      out_.code_tokens.push_back(
          static_cast<std::uint32_t>(code_tokens_[i] - kept.tokens.begin + first_token));
      if (last_entry_with_[code] == entry) continue;
      if (last_entry_with_[code] == kNone) out_.first_entry_with[code] = entry;
      last_entry_with_[code] = entry;
      ++out_.entries_with[code];
    }
  }

  std::uint32_t CodeNumber(std::uint32_t code) {
    std::uint32_t& number = code_numbers_[code];
    if (number != kNone) return number;
    const Part& part = *source_->part;
    const std::size_t words = out_.signature_words;
    part.Signature(code, signature_.data());
    const std::uint64_t stem = part.Stem(code);
    const auto hash_of = [&](std::uint64_t other_stem, const std::uint64_t* signature) {
      std::uint64_t hash = Mix(other_stem);
      for (std::size_t word = 0; word < words; ++word) hash = Mix(hash ^ signature[word]);
      return hash;
    };
    number = dictionary_.FindOrAdd(
        hash_of(stem, signature_.data()),
        [&](std::uint32_t other) {
          return out_.stems[other] == stem &&
                 std::equal(signature_.begin(), signature_.end(), &out_.signatures[other * words]);
        },
        [&](std::uint32_t other) {
          return hash_of(out_.stems[other], &out_.signatures[other * words]);
        });
    if (number == out_.stems.size()) {
      out_.stems.push_back(stem);
      out_.signatures.insert(out_.signatures.end(), signature_.begin(), signature_.end());
      pieces_.clear();
      part.Pieces(code, pieces_);
      out_.pieces.insert(out_.pieces.end(), pieces_.begin(), pieces_.end());
      out_.piece_ends.push_back(out_.pieces.size());
      out_.entries_with.push_back(0);
      out_.first_entry_with.push_back(0);
      last_entry_with_.push_back(kNone);
    }
    return number;
  }

  std::uint32_t SessionNumber(std::uint32_t session) {
    std::uint32_t& number = session_numbers_[session];
    if (number != kNone) return number;
    const std::string name(source_->part->SessionName(session));
    bool added = false;
    number = sessions_.FindOrAdd(name, added);
    if (added) {
      out_.session_names.push_back(name);
      session_hashes_.push_back(HashOfName(name));
    }
    return number;
  }

  std::uint32_t SpeakerNumber(std::uint32_t speaker) {
    if (speaker == kNone) return kNone;
    std::uint32_t& number = speaker_numbers_[speaker];
    if (number != kNone) return number;
    const Part& part = *source_->part;
    const std::string name(part.SpeakerName(speaker));
    bool added = false;
    number = speakers_.FindOrAdd(name, added);
    if (added) {
      PartContents::Speaker& copy = out_.speaker_names.emplace_back();
      copy.name = name;
      copy.words.resize(part.speaker_word_count(speaker));
      for (std::uint32_t word = 0; word < copy.words.size(); ++word) {
        copy.words[word].stem = part.SpeakerWordStem(speaker, word);
        part.SpeakerWordPieces(speaker, word, copy.words[word].pieces);
      }
      speaker_hashes_.push_back(HashOfName(name));
    }
    return number;
  }

  std::uint32_t ExtrasNumber(std::uint32_t entry) {
    extras_.clear();
    source_->part->AppendExtras(entry, extras_);
    const std::string text(extras_.begin(), extras_.end());
    bool added = false;
    const std::uint32_t number = extras_numbers_.FindOrAdd(text, added);
    if (added) out_.extras_texts.push_back(text);
    return number;
  }

  const PartSource* source_ = nullptr;
  // Of the source's numbers, those in the new part; kNone until they are used.
  std::vector<std::uint32_t> code_numbers_, session_numbers_, speaker_numbers_;
  std::vector<Kept> stretch_;
  std::vector<std::uint32_t> tokens_, codes_, code_tokens_, pieces_;
  std::vector<std::uint8_t> extras_;
  std::vector<std::uint64_t> signature_;

  Numbering symbols_, dictionary_;
  Texts sessions_, speakers_, extras_numbers_;
  std::vector<std::uint64_t> session_hashes_, speaker_hashes_;
  std::vector<std::uint32_t> last_entry_with_;  // by code
  PartContents& out_;
};

}  // namespace

Status CollectPart(std::span<const PartSource> sources, const KeepEntry& keep,
                   const PartFacts& facts, std::size_t signature_words, const Cancelled& cancelled,
                   PartContents& contents) {
  Collector collector(signature_words, contents);
  for (const PartSource& source : sources) {
    if (Status status = collector.Add(source, keep, cancelled); !status.ok()) return status;
  }
  collector.AddFacts(sources, facts);
  return Status::Ok();
}

Status BuildPart(std::span<const PartSource> sources, const KeepEntry& keep, const PartFacts& facts,
                 std::size_t signature_words, const Cancelled& cancelled, BuiltPart& built) {
  PartContents contents;
  Status status = CollectPart(sources, keep, facts, signature_words, cancelled, contents);
  if (!status.ok()) return status;
  built.first_entry = contents.first_entry;
  built.entry_count = static_cast<std::uint32_t>(contents.sessions.size());
  built.token_count = contents.tokens.size();
  return WritePart(contents, cancelled, built.image);
}

}  // namespace dentate::bank
