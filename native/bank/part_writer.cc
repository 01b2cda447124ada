// WritePart: the bytes of an image, section by section in the order of part_image.h.

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

#include "bank/part_builder.h"
#include "bank/part_facts.h"
#include "bank/part_image.h"
#include "core/coding.h"
#include "succinct/blocked_ints.h"
#include "succinct/elias_fano.h"
#include "succinct/huffman_matrix.h"
#include "succinct/huffman_shape.h"
#include "succinct/packed_ints.h"
#include "succinct/rank_bits.h"

namespace dentate::bank {
namespace {

using succinct::BlockedInts;
using succinct::EliasFano;
using succinct::PackedInts;

template <typename Names, typename TextOf>
std::vector<std::uint64_t> EndsOf(const Names& names, TextOf text_of) {
  std::vector<std::uint64_t> ends;
  ends.reserve(names.size());
  std::uint64_t end = 0;
  for (const auto& name : names) ends.push_back(end += text_of(name).size());
  return ends;
}

class Writer {
 public:
  explicit Writer(PartContents& contents) : in_(contents) {
    header_.signature_words = static_cast<std::uint32_t>(in_.signature_words);
    header_.first_entry = in_.first_entry;
    header_.next_entry = in_.facts.next_entry;
    header_.entries = static_cast<std::uint32_t>(in_.sessions.size());
    header_.tokens = static_cast<std::uint32_t>(in_.tokens.size());
    header_.codes = static_cast<std::uint32_t>(in_.codes.size());
    header_.distinct_tokens = static_cast<std::uint32_t>(in_.token_ids.size());
    header_.distinct_codes = static_cast<std::uint32_t>(in_.stems.size());
    header_.pieces = static_cast<std::uint32_t>(in_.pieces.size());
    header_.sessions = static_cast<std::uint32_t>(in_.session_names.size());
    header_.speakers = static_cast<std::uint32_t>(in_.speaker_names.size());
    header_.distinct_extras = static_cast<std::uint32_t>(in_.extras_texts.size());
    words_.resize(sizeof(ImageHeader) / sizeof(std::uint64_t));
  }

  Status Write(const Cancelled& cancelled, std::vector<std::uint8_t>& image) {
    constexpr std::size_t kMaxStream = 0xfffffffe;  // positions have 32 bits
    if (in_.tokens.size() > kMaxStream || in_.codes.size() > kMaxStream ||
        in_.sessions.size() > EliasFano::kMaxCount) {
      return {ErrorCode::kOutOfMemory, "a part of more than 2^32 - 2 tokens can't be built"};
    }
    if (!WriteContent(cancelled) || !WriteCodes(cancelled)) {
      return {ErrorCode::kAborted, "building a part was cancelled"};
    }
    WriteSignatures();
    FindRuns();
    succinct::RankBits::Write(run_begins_, header_.entries, words_);
    WriteDictionary();
    PackedInts::Write(token_ids_, kTokenIdBits, words_);
    WriteTokenBits();
    WriteRows();
    WriteTexts(EndsOf(in_.extras_texts, Itself), in_.extras_texts, header_.extras_bytes);
    WriteRuns();
    WriteNames();
    WriteFingerprints();
    std::vector<std::uint8_t> facts;
    EncodeFacts(in_.facts, facts);
    header_.facts_bytes = static_cast<std::uint32_t>(facts.size());
    PutBytes(facts.data(), facts.size());

    header_.byte_count = words_.size() * sizeof(std::uint64_t);
    assert(ImageLayout(header_).byte_count() == header_.byte_count);
    std::memcpy(words_.data(), &header_, sizeof header_);
    image.resize(header_.byte_count);
    std::memcpy(image.data(), words_.data(), image.size());
    return Status::Ok();
  }

 private:
  static const std::string& Itself(const std::string& text) { return text; }

  // The symbols in the order of an image: by the level that they end on in a Huffman-shaped matrix,
  // and on one level by `before`. Rewrites `stream` in the new numbers; `ends` says how many end on
  // each level.
  template <typename Before>
  static std::vector<std::uint32_t> Renumber(std::vector<std::uint32_t>& stream,
                                             std::size_t symbols, Before before,
                                             std::vector<std::uint32_t>& ends) {
    std::vector<std::uint32_t> counts(symbols);
    for (const std::uint32_t symbol : stream) ++counts[symbol];
    std::vector<std::uint32_t> order(symbols);
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return counts[a] != counts[b] ? counts[a] > counts[b] : before(a, b);
    });
    std::vector<std::uint32_t> sorted_counts(symbols);
    for (std::size_t i = 0; i < symbols; ++i) sorted_counts[i] = counts[order[i]];
    ends = succinct::HuffmanEnds(sorted_counts);
    auto first = order.begin();
    for (const std::uint32_t end : ends) {
      std::sort(first, first + end, before);
      first += end;
    }
    std::vector<std::uint32_t>& number = counts;
    for (std::uint32_t i = 0; i < symbols; ++i) number[order[i]] = i;
    for (std::uint32_t& symbol : stream) symbol = number[symbol];
    return order;
  }

  // Nobody asks where a token occurs, so the content need not answer.
  bool WriteContent(const Cancelled& cancelled) {
    std::vector<std::uint32_t> ends;
    const std::vector<std::uint32_t> order = Renumber(
        in_.tokens, in_.token_ids.size(),
        [&](std::uint32_t a, std::uint32_t b) { return in_.token_ids[a] < in_.token_ids[b]; },
        ends);
    for (const std::uint32_t symbol : order) token_ids_.push_back(in_.token_ids[symbol]);
    const std::size_t first = words_.size();
    if (!succinct::HuffmanMatrix::Write(in_.tokens, ends, false, cancelled, words_)) return false;
    header_.content_words = static_cast<std::uint32_t>(words_.size() - first);
    return true;
  }

  bool WriteCodes(const Cancelled& cancelled) {
    const std::size_t words = in_.signature_words;
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      if (in_.stems[a] != in_.stems[b]) return in_.stems[a] < in_.stems[b];
      const std::uint64_t* left = &in_.signatures[a * words];
      const std::uint64_t* right = &in_.signatures[b * words];
      return std::lexicographical_compare(left, left + words, right, right + words);
    };
    std::vector<std::uint32_t> ends;
    order_ = Renumber(in_.codes, in_.stems.size(), before, ends);
    const std::size_t first = words_.size();
    if (!succinct::HuffmanMatrix::Write(in_.codes, ends, true, cancelled, words_)) return false;
    header_.code_words = static_cast<std::uint32_t>(words_.size() - first);
    return true;
  }

  void WriteSignatures() {
    const std::size_t words = in_.signature_words;
    const std::size_t stride = SignatureStride(order_.size());
    const std::size_t first = words_.size();
    words_.resize(first + words * stride);
    for (std::size_t word = 0; word < words; ++word) {
      for (std::size_t code = 0; code < order_.size(); ++code) {
        words_[first + word * stride + code] = in_.signatures[order_[code] * words + word];
      }
    }
  }

  void WriteDictionary() {
    std::vector<std::uint32_t> holders, pieces;
    std::vector<std::uint64_t> piece_ends;
    for (const std::uint32_t code : order_) {
      words_.push_back(in_.stems[code]);
      holders.push_back(in_.entries_with[code] == 1 ? in_.first_entry_with[code]
                                                    : header_.entries + in_.entries_with[code]);
      const std::uint64_t begin = code == 0 ? 0 : in_.piece_ends[code - 1];
      for (std::uint64_t i = begin; i < in_.piece_ends[code]; ++i) pieces.push_back(in_.pieces[i]);
      piece_ends.push_back(pieces.size());
    }
    PackedInts::Write(holders, PackedInts::WidthOf(2 * std::uint64_t{header_.entries}), words_);
    EliasFano::Write(piece_ends, words_);
    header_.piece_width = static_cast<std::uint8_t>(WidthOfLargest(pieces));
    PackedInts::Write(pieces, header_.piece_width, words_);
  }

  void WriteTokenBits() {
    const std::uint64_t bits = std::uint64_t{header_.tokens} + header_.codes;
    const std::size_t first = words_.size();
    words_.resize(first + PackedInts::WordCount(bits, 1));
    for (std::size_t code = 0; code < in_.code_tokens.size(); ++code) {
      const std::uint64_t bit = std::uint64_t{in_.code_tokens[code]} + 1 + code;
      words_[first + bit / 64] |= std::uint64_t{1} << bit % 64;
    }
  }

  void WriteRows() {
    EliasFano::Write(in_.token_ends, words_);
    EliasFano::Write(in_.code_ends, words_);
    std::vector<std::uint32_t> blocks(CodeBlockCount(header_.codes));
    std::uint32_t entry = 0;
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      while (in_.code_ends[entry] <= block * kCodesPerBlock) ++entry;
      blocks[block] = entry;
    }
    PackedInts::Write(blocks, PackedInts::WidthOf(header_.entries), words_);

    header_.at_words = WriteTimes(in_.at);
    header_.ingested_words = WriteTimes(in_.ingested);
    const std::vector<std::uint32_t> roles(in_.roles.begin(), in_.roles.end());
    header_.role_width = static_cast<std::uint8_t>(WidthOfLargest(roles));
    PackedInts::Write(roles, header_.role_width, words_);
    std::vector<std::uint32_t> speakers = in_.speakers;
    for (std::uint32_t& speaker : speakers) speaker = std::min(speaker, header_.speakers);
    PackedInts::Write(speakers, PackedInts::WidthOf(header_.speakers), words_);
    PackedInts::Write(in_.extras, WidthBelow(header_.distinct_extras), words_);
  }

  // Erased entries have their neighbour's time, which takes no room.
  std::uint32_t WriteTimes(std::vector<std::int64_t> times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (in_.sessions[i] == kNone) times[i] = times[i == 0 ? 0 : i - 1];
    }
    const std::size_t first = words_.size();
    BlockedInts::Write(times, words_);
    return static_cast<std::uint32_t>(words_.size() - first);
  }

  void FindRuns() {
    for (std::uint32_t entry = 0; entry < header_.entries; ++entry) {
      if (entry > 0 && in_.sessions[entry] == in_.sessions[entry - 1]) continue;
      run_begins_.push_back(entry);
      run_sessions_.push_back(std::min(in_.sessions[entry], header_.sessions));
    }
    header_.runs = static_cast<std::uint32_t>(run_begins_.size());
  }

  void WriteRuns() {
    const std::uint32_t runs = header_.runs;
    std::vector<std::uint64_t> ends;
    std::vector<std::uint32_t> before(runs, runs), after(runs, runs);
    std::vector<std::uint32_t> first(header_.sessions, runs), last(header_.sessions, runs);
    for (std::uint32_t run = 0; run < runs; ++run) {
      ends.push_back(run + 1 < runs ? run_begins_[run + 1] : header_.entries);
      const std::uint32_t session = run_sessions_[run];
      if (session == header_.sessions) continue;
      if (first[session] == runs) {
        first[session] = run;
      } else {
        before[run] = last[session];
        after[last[session]] = run;
      }
      last[session] = run;
    }
    EliasFano::Write(ends, words_);
    PackedInts::Write(run_sessions_, PackedInts::WidthOf(header_.sessions), words_);
    PackedInts::Write(before, PackedInts::WidthOf(runs), words_);
    PackedInts::Write(after, PackedInts::WidthOf(runs), words_);
    PackedInts::Write(first, WidthBelow(runs), words_);
    PackedInts::Write(last, WidthBelow(runs), words_);
  }

  void WriteNames() {
    WriteTexts(EndsOf(in_.session_names, Itself), in_.session_names, header_.session_name_bytes);
    std::vector<std::string> names, words;
    for (const PartContents::Speaker& speaker : in_.speaker_names) {
      names.push_back(speaker.name);
      std::vector<std::uint8_t> bytes;
      PutVarint(bytes, speaker.words.size());
      for (const PartContents::Word& word : speaker.words) {
        PutFixed(bytes, word.stem);
        PutVarint(bytes, word.pieces.size());
        for (const std::uint32_t piece : word.pieces) PutVarint(bytes, piece);
      }
      words.emplace_back(bytes.begin(), bytes.end());
    }
    WriteTexts(EndsOf(names, Itself), names, header_.speaker_name_bytes);
    WriteTexts(EndsOf(words, Itself), words, header_.speaker_word_bytes);
  }

  template <typename Count>
  void WriteTexts(const std::vector<std::uint64_t>& ends, const std::vector<std::string>& texts,
                  Count& byte_count) {
    byte_count = static_cast<Count>(ends.empty() ? 0 : ends.back());
    EliasFano::Write(ends, words_);
    std::string all;
    for (const std::string& text : texts) all += text;
    PutBytes(all.data(), all.size());
  }

  void WriteFingerprints() {
    std::vector<std::uint32_t> entries;
    for (std::uint32_t entry = 0; entry < header_.entries; ++entry) {
      if (in_.sessions[entry] != kNone) entries.push_back(entry);
    }
    std::stable_sort(entries.begin(), entries.end(), [&](std::uint32_t a, std::uint32_t b) {
      return in_.fingerprints[a] < in_.fingerprints[b];
    });
    std::vector<std::uint64_t> sorted;
    sorted.reserve(entries.size());
    for (const std::uint32_t entry : entries) sorted.push_back(in_.fingerprints[entry]);
    header_.living = static_cast<std::uint32_t>(entries.size());
    header_.largest_fingerprint = static_cast<std::uint32_t>(sorted.empty() ? 0 : sorted.back());
    EliasFano::Write(sorted, words_);
    PackedInts::Write(entries, WidthBelow(header_.entries), words_);
  }

  static unsigned WidthOfLargest(const std::vector<std::uint32_t>& values) {
    std::uint32_t all = 0;
    for (const std::uint32_t value : values) all |= value;
    return PackedInts::WidthOf(all);
  }
  static unsigned WidthBelow(std::uint32_t limit) {
    return PackedInts::WidthOf(limit == 0 ? 0 : limit - 1);
  }

  void PutBytes(const void* bytes, std::size_t size) {
    const std::size_t first = words_.size();
    words_.resize(first + (size + 7) / 8);
    if (size > 0) std::memcpy(words_.data() + first, bytes, size);
  }

  PartContents& in_;
  ImageHeader header_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> token_ids_;  // by symbol of the image
  std::vector<std::uint32_t> order_;      // by code of the image, that of the contents
  std::vector<std::uint32_t> run_begins_, run_sessions_;
};

}  // namespace

Status WritePart(PartContents& contents, const Cancelled& cancelled,
                 std::vector<std::uint8_t>& image) {
  return Writer(contents).Write(cancelled, image);
}

}  // namespace dentate::bank
