// Appends and searches of one bank, in microseconds of processor time: median, 99th percentile,
// maximum. Once over its live part, once over what that becomes as sealed parts.
//
//   cmake -B build-bench -DDENTATE_BENCH=ON && ninja -C build-bench bank_bench
//   build-bench/bench/native/bank_bench [tokens, default 1000000] [sealed parts, default 3] [table]
//
// `table` is assets/distilled-words.bin, from which the vectors come.
//
// The text is made up: words follow Zipf's law over 60,000 words in 400 clusters of near meaning, a
// turn has 50 tokens of which 25 start a word with a signature, a session 20 turns of two speakers.
// A word is one or two pieces of the table, every sixth none. A question has 6 words (a short one)
// or 40 (a long one), a fifth of them among the 200 most frequent. One thread; seed 1; the same
// inputs in each run.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bank/bank.h"
#include "bank/part_builder.h"
#include "bank/sealed_part.h"
#include "bank/search.h"
#include "bank/search_all.h"
#include "core/cpu.h"
#include "signatures/distilled_table.h"
#include "succinct/aligned_bytes.h"

namespace dentate::bank {
namespace {

constexpr std::size_t kWords = 60'000;
constexpr std::size_t kClusters = 400;
constexpr std::size_t kTokensPerTurn = 50;
constexpr std::size_t kCodesPerTurn = 25;
constexpr std::size_t kTurnsPerSession = 20;
constexpr std::size_t kSignatureWords = 2;

// Of this thread, in microseconds of processor time: other programs don't show.
double Now() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

class Text {
 public:
  Text() {
    std::vector<std::uint64_t> centres(kClusters * kSignatureWords);
    for (auto& word : centres) word = random_();
    for (std::size_t word = 0; word < kWords; ++word) {
      const std::size_t cluster = random_() % kClusters;
      for (std::size_t i = 0; i < kSignatureWords; ++i) {
        // Three words ANDed: an eighth of the bits, twice: near a fifth differ from the centre.
        const std::uint64_t noise =
            (random_() & random_() & random_()) | (random_() & random_() & random_());
        signatures_.push_back(centres[cluster * kSignatureWords + i] ^ noise);
      }
    }
    double sum = 0;
    for (std::size_t rank = 1; rank <= kWords; ++rank) {
      cumulative_.push_back(sum += 1 / std::pow(static_cast<double>(rank) + 2.7, 1.05));
    }
  }

  std::size_t Word(std::size_t skip = 0) {
    for (;;) {
      const double at = std::uniform_real_distribution<double>(0, cumulative_.back())(random_);
      const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end(), at);
      const auto word = static_cast<std::size_t>(found - cumulative_.begin());
      if (word >= skip && word < kWords) return word;
    }
  }
  std::span<const std::uint64_t> Signature(std::size_t word) const {
    return std::span(signatures_).subspan(word * kSignatureWords, kSignatureWords);
  }
  // Three forms of a word share a stem.
  static std::uint64_t Stem(std::size_t word) { return word / 3; }
  static void Pieces(std::size_t word, std::vector<std::uint32_t>& pieces) {
    for (std::size_t i = 0; word % 6 != 0 && i < 1 + word % 5 / 4; ++i) {
      pieces.push_back(static_cast<std::uint32_t>((word * 31 + i * 977) % 26'503));
    }
  }
  std::vector<float> Vector(std::size_t dimensions) {
    std::normal_distribution<float> normal;
    std::vector<float> vector(dimensions);
    for (float& value : vector) value = normal(random_);
    return vector;
  }
  std::uint64_t Number() { return random_(); }

 private:
  std::mt19937_64 random_{1};
  std::vector<std::uint64_t> signatures_;
  std::vector<double> cumulative_;
};

struct Turn {
  std::vector<std::uint32_t> tokens, code_tokens, pieces, piece_counts;
  std::vector<std::uint64_t> signatures, stems;
  std::vector<std::uint8_t> extras = std::vector<std::uint8_t>(40, 'm');

  explicit Turn(Text& text) {
    for (std::size_t i = 0; i < kTokensPerTurn; ++i) {
      // A stop word's or a word's token; ids are spread over the vocabulary.
      const std::size_t word = text.Word();
      tokens.push_back(static_cast<std::uint32_t>(word * 7919 % 200'019));
      if (i % (kTokensPerTurn / kCodesPerTurn) != 0) continue;
      const std::size_t content = text.Word(50);
      const auto signature = text.Signature(content);
      signatures.insert(signatures.end(), signature.begin(), signature.end());
      stems.push_back(Text::Stem(content));
      code_tokens.push_back(static_cast<std::uint32_t>(i));
      const std::size_t before = pieces.size();
      Text::Pieces(content, pieces);
      piece_counts.push_back(static_cast<std::uint32_t>(pieces.size() - before));
    }
  }

  void AppendTo(Bank& bank, std::size_t session, std::size_t speaker) const {
    const auto token_count = static_cast<std::uint32_t>(tokens.size());
    const auto code_count = static_cast<std::uint32_t>(stems.size());
    const auto extras_length = static_cast<std::uint32_t>(extras.size());
    const std::uint32_t zero = 0;
    const std::uint32_t none = kNone;
    const std::uint8_t role = 0;
    const double now = 1e12;
    const double never = HUGE_VAL;
    const std::string session_name = "session " + std::to_string(session);
    const std::string speaker_name = "speaker " + std::to_string(speaker);
    const std::string_view session_view = session_name;
    const std::string_view speaker_view = speaker_name;
    const std::uint64_t speaker_stem = speaker;
    const std::uint32_t one = 1;
    Batch batch;
    batch.tokens = tokens;
    batch.token_counts = {&token_count, 1};
    batch.signatures = signatures;
    batch.words = {stems, pieces, piece_counts};
    batch.code_tokens = code_tokens;
    batch.code_counts = {&code_count, 1};
    batch.sessions = {&zero, 1};
    batch.speakers = {&zero, 1};
    batch.roles = {&role, 1};
    batch.at = batch.ingested = {&now, 1};
    batch.expires = {&never, 1};
    batch.origins = {&none, 1};
    batch.extras = extras;
    batch.extras_lengths = {&extras_length, 1};
    batch.session_names = {&session_view, 1};
    batch.speaker_names = {&speaker_view, 1};
    batch.speaker_words = {{&speaker_stem, 1}, {}, {&zero, 1}};
    batch.speaker_word_counts = {&one, 1};
    const Sink no_log = [](std::span<const std::uint8_t>) { return Status::Ok(); };
    AppendResult result;
    if (!bank.Append(batch, no_log, result).ok()) std::abort();
  }
};

SearchQuery Question(Text& text, std::size_t words, std::size_t dimensions) {
  SearchQuery query;
  for (std::size_t i = 0; i < words; ++i) {
    const std::size_t word = text.Word(text.Number() % 5 == 0 ? 50 : 250);
    const auto signature = text.Signature(word);
    query.codes.signatures.insert(query.codes.signatures.end(), signature.begin(), signature.end());
    query.codes.stems.push_back(Text::Stem(word));
    query.codes.word_of.push_back(static_cast<std::uint32_t>(i));
  }
  query.codes.radius = 42;
  query.limit = 200;
  query.weights = {.dense = 0.8F,
                   .speaker = 0.12F,
                   .neighbours = {0.6F, 0.5F, 0.4F, 0.3F},
                   .length = 0.1F,
                   .prune = 0.08,
                   .codes = 12,
                   .visits = 4096};
  query.speakers = {0};
  query.speaker_codes = {0};
  if (dimensions > 0) query.vector = text.Vector(dimensions);
  return query;
}

class Latencies {
 public:
  template <typename Work>
  void Time(Work work) {
    const double start = Now();
    work();
    microseconds_.push_back(Now() - start);
  }
  void Print(const char* name) {
    std::sort(microseconds_.begin(), microseconds_.end());
    const auto at = [&](double share) {
      return microseconds_[static_cast<std::size_t>(share *
                                                    static_cast<double>(microseconds_.size() - 1))];
    };
    std::printf("%-34s p50 %9.1f   p99 %9.1f   max %9.1f us   (%zu)\n", name, at(0.5), at(0.99),
                at(1), microseconds_.size());
  }

 private:
  std::vector<double> microseconds_;
};

void Measure(const Bank& bank, const signatures::WordVectors& vectors, Text& text) {
  const Cancelled never = [] { return false; };
  std::size_t found = 0;
  const auto time_searches = [&](const char* name, std::size_t words, std::size_t dimensions,
                                 int count) {
    Latencies searches;
    for (int i = 0; i < count; ++i) {
      const SearchQuery query = Question(text, words, dimensions);
      SearchResult result;
      searches.Time(
          [&] { found += Search(*bank.Read(0), &vectors, query, never, result).ok() ? 1 : 0; });
      found += result.entries.size();
    }
    searches.Print(name);
  };
  time_searches("first search, 6 words", 6, vectors.dimensions(), 1);
  time_searches("next ten", 6, vectors.dimensions(), 10);
  time_searches("search, 6 words, no vector", 6, 0, 300);
  time_searches("search, 6 words", 6, vectors.dimensions(), 300);
  time_searches("search, 40 words", 40, vectors.dimensions(), 300);
  Latencies all;
  for (int i = 0; i < 300; ++i) {
    ConjunctiveQuery query;
    query.codes = Question(text, 3, 0).codes;
    query.codes.radius = 8;
    query.limit = 50;
    SearchResult result;
    all.Time([&] { found += SearchAll(*bank.Read(0), query, never, result).ok() ? 1 : 0; });
    found += result.entries.size();
  }
  all.Print("searchAll, 3 words, radius 8");
  const auto snapshot = bank.Read(0);
  std::vector<std::uint32_t> tokens(1000);
  Latencies texts;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint32_t> entries(40);
    for (auto& entry : entries) {
      entry = static_cast<std::uint32_t>(text.Number() % snapshot->entry_count);
    }
    texts.Time([&] {
      for (const std::uint32_t entry : entries) {
        const PlacedPart& placed = snapshot->parts[snapshot->PartOf(entry)];
        const Interval32 span = placed.part->TokenSpan(entry - placed.first_entry);
        placed.part->Tokens(span.begin, span.end, tokens.data());
      }
    });
    found += tokens.size();
  }
  texts.Print("tokens of 40 entries");
  std::printf("(checksum %zu)\n", found);
}

// The newest part of the bank, which has no live one, becomes a sealed one.
std::shared_ptr<const SealedPart> Seal(Bank& bank) {
  const auto snapshot = bank.Read(0);
  const PlacedPart& placed = snapshot->parts.back();
  const PartSource source{placed.part.get(), placed.first_entry, placed.size};
  BuiltPart built;
  const Status status = BuildPart(
      {&source, 1}, [](std::uint32_t) { return true; }, {}, kSignatureWords, {}, built);
  if (!status.ok()) std::abort();
  const auto bytes = std::make_shared<succinct::AlignedBytes>(built.image.size());
  auto* const data = reinterpret_cast<std::uint8_t*>(bytes->data());
  std::copy(built.image.begin(), built.image.end(), data);
  std::shared_ptr<const SealedPart> part;
  if (!SealedPart::Open({data, built.image.size()}, bytes, part).ok()) std::abort();
  const Part* const old = placed.part.get();
  bank.ReplaceParts({&old, 1}, part, built.first_entry);
  std::printf("sealed %u entries: %zu bytes, %.3f a token\n", built.entry_count, built.image.size(),
              static_cast<double>(built.image.size()) / static_cast<double>(built.token_count));
  return part;
}

void Run(std::size_t token_count, std::size_t parts, const signatures::WordVectors& vectors) {
  const std::size_t turns = token_count / kTokensPerTurn;
  std::printf("kernel %s; %zu tokens, %zu entries\n", IsaName(ActiveIsa()), token_count, turns);
  for (const bool sealed : {false, true}) {
    Text text;
    Bank bank({kSignatureWords}, "bench", 1);
    Latencies appends;
    for (std::size_t i = 0; i < turns; ++i) {
      const Turn turn(text);
      appends.Time([&] { turn.AppendTo(bank, i / kTurnsPerSession, i % 2 + i / 2000 * 2); });
      if (sealed && parts > 0 && ((i + 1) % (turns / parts) == 0 || i + 1 == turns)) {
        bank.Freeze();
        Seal(bank);
      }
    }
    const BankStats stats = bank.Stats(0);
    std::printf("%u parts, %llu codes, %.3f bytes a token in memory\n", stats.parts,
                static_cast<unsigned long long>(stats.codes),
                static_cast<double>(bank.SizeInBytes()) / static_cast<double>(token_count));
    if (!sealed) appends.Print("append one turn");
    Measure(bank, vectors, text);
  }
}

}  // namespace
}  // namespace dentate::bank

int main(int argc, char** argv) {
  std::ifstream file(argc > 3 ? argv[3] : "assets/distilled-words.bin", std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  std::shared_ptr<const dentate::signatures::DistilledTable> table;
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  if (!dentate::signatures::DistilledTable::FromBytes({data, bytes.size()}, table).ok()) {
    std::fprintf(stderr, "no table of word vectors\n");
    return 1;
  }
  dentate::bank::Run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000,
                     argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 3, *table);
  return 0;
}
