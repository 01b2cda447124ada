// Appends and searches of one bank, in microseconds of processor time: median, 99th percentile,
// maximum.
//
//   cmake -B build-bench -DDENTATE_BENCH=ON && ninja -C build-bench bank_bench
//   build-bench/bench/native/bank_bench [tokens, default 1000000]
//
// The text is made up: words follow Zipf's law over 60,000 words in 400 clusters of near meaning, a
// turn has 50 tokens of which 25 start a word with a signature, a session 20 turns of two speakers.
// A question has 6 words (a short one) or 40 (a long one), a fifth of them among the 200 most
// frequent. One thread; seed 1; the same inputs in each run.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "old_bank/bank.h"
#include "old_bank/search.h"
#include "old_bank/search_all.h"
#include "core/cpu.h"

namespace dentate::old_bank {
namespace {

constexpr std::size_t kWords = 60'000;
constexpr std::size_t kClusters = 400;
constexpr std::size_t kTokensPerTurn = 50;
constexpr std::size_t kCodesPerTurn = 25;
constexpr std::size_t kTurnsPerSession = 20;
constexpr std::size_t kDimensions = 256;
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
  std::vector<float> Vector() {
    std::normal_distribution<float> normal;
    std::vector<float> vector(kDimensions);
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
  std::vector<std::uint32_t> tokens, code_tokens;
  std::vector<std::uint64_t> signatures, stems;
  std::vector<float> vector;
  std::vector<std::uint8_t> metadata;

  explicit Turn(Text& text) : vector(text.Vector()), metadata(80, 'm') {
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
    }
  }

  void AppendTo(Bank& bank, std::uint32_t session, std::uint32_t speaker) const {
    const auto token_count = static_cast<std::uint32_t>(tokens.size());
    const auto code_count = static_cast<std::uint32_t>(stems.size());
    const auto metadata_length = static_cast<std::uint32_t>(metadata.size());
    Batch batch;
    batch.tokens = tokens;
    batch.token_counts = {&token_count, 1};
    batch.signatures = signatures;
    batch.stems = stems;
    batch.code_tokens = code_tokens;
    batch.code_counts = {&code_count, 1};
    batch.sessions = {&session, 1};
    batch.speakers = {&speaker, 1};
    batch.vectors = vector;
    batch.metadata = metadata;
    batch.metadata_lengths = {&metadata_length, 1};
    std::uint32_t first = 0;
    if (!bank.Append(batch, first).ok()) std::abort();
  }
};

SearchQuery Question(Text& text, std::size_t words, bool dense) {
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
                   .visits = 4096};
  query.speakers = {0};
  query.speaker_codes = {0};
  if (dense) query.vector = text.Vector();
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

void PrintSizes(const Bank& bank) {
  const Bank::Sizes sizes = bank.SizesInBytes();
  const double tokens = static_cast<double>(bank.token_count());
  const auto print = [tokens](const char* name, std::size_t bytes) {
    std::printf("  %-12s %12zu bytes  %7.3f a token\n", name, bytes,
                static_cast<double>(bytes) / tokens);
  };
  print("content", sizes.content);
  print("codes", sizes.codes);
  print("token_codes", sizes.token_codes);
  print("symbols", sizes.symbols);
  print("dictionary", sizes.dictionary);
  print("entries", sizes.entries);
  print("metadata", sizes.metadata);
  print("vectors", sizes.vectors);
  print("bank", sizes.bank);
  print("all", sizes.Sum());
}

void Run(std::size_t token_count) {
  Text text;
  Bank bank(kSignatureWords * 64, kDimensions, std::make_unique<old_storage::MemoryLog>());
  const std::size_t turns = token_count / kTokensPerTurn;
  Latencies appends;
  for (std::size_t i = 0; i < turns; ++i) {
    const Turn turn(text);
    appends.Time([&] {
      turn.AppendTo(bank, static_cast<std::uint32_t>(i / kTurnsPerSession),
                    static_cast<std::uint32_t>(i % 2 + i / 2000 * 2));
    });
    if (i + 1 == 20) {
      std::printf("after 1,000 tokens:\n");
      PrintSizes(bank);
    }
  }
  std::printf("kernel %s; %llu tokens, %u entries, %u codes, %zu words\n", IsaName(ActiveIsa()),
              static_cast<unsigned long long>(bank.token_count()), bank.entry_count(),
              bank.codes().size(), bank.dictionary().size());
  PrintSizes(bank);
  appends.Print("append one turn");

  const Cancelled never = [] { return false; };
  std::size_t found = 0;
  for (const auto& [name, words, dense] :
       {std::tuple{"search, 6 words, no vector", std::size_t{6}, false},
        std::tuple{"search, 6 words", std::size_t{6}, true},
        std::tuple{"search, 40 words", std::size_t{40}, true}}) {
    Latencies searches;
    for (int i = 0; i < 300; ++i) {
      const SearchQuery query = Question(text, words, dense);
      SearchResult result;
      searches.Time([&] { found += Search(bank, query, never, result).ok(); });
      found += result.entries.size();
    }
    searches.Print(name);
  }
  Latencies all;
  for (int i = 0; i < 300; ++i) {
    ConjunctiveQuery query{Question(text, 3, false).codes, 50};
    query.codes.radius = 8;
    SearchResult result;
    all.Time([&] { found += SearchAll(bank, query, never, result).ok(); });
    found += result.entries.size();
  }
  all.Print("searchAll, 3 words, radius 8");
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint32_t> offsets;
  Latencies texts;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint32_t> entries(40);
    for (auto& entry : entries) entry = static_cast<std::uint32_t>(text.Number() % turns);
    texts.Time([&] { bank.Tokens(entries, tokens, offsets); });
    found += tokens.size();
  }
  texts.Print("tokens of 40 entries");
  std::printf("(checksum %zu)\n", found);
}

}  // namespace
}  // namespace dentate::old_bank

int main(int argc, char** argv) {
  dentate::old_bank::Run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000);
  return 0;
}
