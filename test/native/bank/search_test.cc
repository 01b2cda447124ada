#include "bank/search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "bank/search_all.h"
#include "bank/search_banks.h"
#include "bank/top_entries.h"

namespace dentate::bank::test {
namespace {

// Turns, and five banks that hold them.
struct World {
  RandomTurns random;
  SearchModel model;
  std::vector<std::unique_ptr<Bank>> banks;

  explicit World(std::uint32_t seed, std::uint32_t count) : random(seed, 120) {
    model.turns = random.MakeMany(count, 1);
    // Speakers and sessions have the numbers of their first use: make those the names' own.
    std::vector<TestTurn> first(4);
    for (std::uint32_t i = 0; i < 4; ++i) first[i].speaker = i;
    model.turns.insert(model.turns.begin(), first.begin(), first.end());
    model.current.assign(model.turns.size(), true);
    for (int i = 0; i < 5; ++i) banks.push_back(NewBank());
    std::size_t at = 0;
    while (at < model.turns.size()) {
      const std::size_t end = std::min(model.turns.size(), at + 4 + random.Below(count / 3));
      const std::vector<TestTurn> batch(model.turns.begin() + static_cast<std::ptrdiff_t>(at),
                                        model.turns.begin() + static_cast<std::ptrdiff_t>(end));
      for (auto& bank : banks) AppendTo(*bank, batch);
      banks[1]->Freeze();
      SealFrom(*banks[2], banks[2]->ReadAll()->parts.size() - 1, true);
      if (random.Below(2) == 0) SealFrom(*banks[3], 0, true);
      at = end;
    }
  }

  void DeleteSome() {
    std::vector<std::uint32_t> entries;
    for (std::uint32_t entry = 0; entry < model.turns.size(); ++entry) {
      if (random.Below(4) > 0) continue;
      entries.push_back(entry);
      model.current[entry] = false;
    }
    for (auto& bank : banks) {
      std::uint32_t deleted = 0;
      REQUIRE(bank->Delete(entries, kNoLog, deleted).ok());
    }
  }

  void EraseDeleted() { SealFrom(*banks[4], 0, false); }
};

void CheckSame(const SearchResult& left, const SearchResult& right) {
  CHECK(left.entries == right.entries);
  CHECK(left.scores == right.scores);
  CHECK(left.signature_scores == right.signature_scores);
  CHECK(left.dense_scores == right.dense_scores);
  CHECK(left.place_scores == right.place_scores);
  CHECK(left.pieces == right.pieces);
  CHECK(left.shares == right.shares);
}

SearchResult Ask(const Bank& bank, const SearchQuery& query) {
  const TestVectors vectors;
  REQUIRE(CheckQuery(kTestWords, &vectors, query).ok());
  SearchResult result;
  REQUIRE(Search(*bank.Read(1), &vectors, query, kGoOn, result).ok());
  return result;
}

// What the model says, and in an order that its scores allow.
void CheckAgainstModel(const SearchModel& model, const SearchQuery& query,
                       const SearchResult& result) {
  const SearchModel::Scores scores = model.Score(query);
  std::set<std::uint32_t> found;
  for (std::size_t i = 0; i < result.entries.size(); ++i) {
    const std::uint32_t entry = result.entries[i];
    REQUIRE(model.Wanted(query.allowed.get(), entry));
    CHECK(found.insert(entry).second);
    CHECK(result.scores[i] == doctest::Approx(scores.total[entry]).epsilon(0.02));
    CHECK(result.signature_scores[i] == doctest::Approx(scores.signature[entry]).epsilon(1e-4));
    const double place = query.boosts.empty() ? 0 : result.place_scores[i];
    CHECK(place == doctest::Approx(scores.place[entry]).epsilon(1e-4));
    CHECK(std::abs(double{result.dense_scores[i]} -
                   double{query.weights.dense} * scores.dense[entry]) < 0.02);
    if (i == 0) continue;
    const float before = result.scores[i - 1];
    CHECK((before > result.scores[i] ||
           (before == result.scores[i] && result.entries[i - 1] < entry)));
  }
  std::size_t expected = 0;
  for (std::uint32_t entry = 0; entry < model.turns.size(); ++entry) {
    if (!model.Wanted(query.allowed.get(), entry)) continue;
    if (!query.vector.empty() || scores.total[entry] > 1e-9) ++expected;
  }
  CHECK(found.size() == expected);
}

// What a device would have found: of each part the balls among some of its first codes.
std::shared_ptr<const KnownBalls> KnownIn(const Bank& bank, const QueryCodes& codes,
                                          RandomTurns& random) {
  auto known = std::make_shared<KnownBalls>();
  const auto snapshot = bank.Read(1);
  for (const PlacedPart& placed : snapshot->parts) {
    if (random.Below(4) == 0) continue;
    KnownBalls::OfPart of;
    of.part = placed.part->id();
    of.below = random.Below(placed.part->code_count() + 1);
    of.offsets.push_back(0);
    for (std::size_t at = 0; at < codes.signatures.size(); at += kTestWords) {
      for (std::uint32_t code = 0; code < of.below; ++code) {
        std::array<std::uint64_t, kTestWords> words;
        placed.part->Signature(code, words.data());
        int distance = 0;
        for (std::size_t word = 0; word < kTestWords; ++word) {
          distance += std::popcount(words[word] ^ codes.signatures[at + word]);
        }
        if (static_cast<std::uint32_t>(distance) > codes.radius) continue;
        of.codes.push_back(code);
        of.distances.push_back(static_cast<std::uint16_t>(distance));
      }
      of.offsets.push_back(static_cast<std::uint32_t>(of.codes.size()));
    }
    known->parts.push_back(std::move(of));
  }
  return known;
}

}  // namespace

TEST_CASE("balls that a device has found already change no answer") {
  for (std::uint32_t seed = 71; seed <= 73; ++seed) {
    CAPTURE(seed);
    World world(seed, 300);
    world.DeleteSome();
    RandomQueries queries(world.random, *world.banks[0]);
    for (int i = 0; i < 30; ++i) {
      SearchQuery query = queries.Make(i % 2 == 0);
      const Bank& bank = *world.banks[i % 4];
      const SearchResult expected = Ask(bank, query);
      ConjunctiveQuery all{query.codes, nullptr, 50};
      SearchResult all_expected, all_found;
      REQUIRE(SearchAll(*bank.Read(1), all, kGoOn, all_expected).ok());
      query.codes.known = all.codes.known = KnownIn(bank, query.codes, world.random);
      CheckSame(expected, Ask(bank, query));
      REQUIRE(SearchAll(*bank.Read(1), all, kGoOn, all_found).ok());
      CheckSame(all_expected, all_found);
    }
  }
}

TEST_CASE("a search finds what the formula says, over current and allowed entries alone") {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    World world(seed, 120);
    for (const bool deleted : {false, true}) {
      if (deleted) world.DeleteSome();
      RandomQueries queries(world.random, *world.banks[0]);
      for (int i = 0; i < 30; ++i) {
        const SearchQuery query = queries.Make(false);
        CheckAgainstModel(world.model, query, Ask(*world.banks[i % 4], query));
      }
    }
  }
}

TEST_CASE("the answer is the same to the bit however the bank is cut into parts") {
  for (std::uint32_t seed = 11; seed <= 14; ++seed) {
    CAPTURE(seed);
    World world(seed, 400);
    for (const bool deleted : {false, true}) {
      if (deleted) world.DeleteSome();
      std::uint32_t touched = 0;
      for (auto& bank : world.banks) {
        REQUIRE(bank->Touch(std::vector<std::uint32_t>{5, 9, 60, 61}, 1'500, kNoLog).ok());
      }
      RandomQueries queries(world.random, *world.banks[0]);
      for (int i = 0; i < 60; ++i) {
        const SearchQuery query = queries.Make(i % 3 > 0);
        const SearchResult expected = Ask(*world.banks[0], query);
        for (int other = 1; other < 4; ++other)
          CheckSame(expected, Ask(*world.banks[other], query));
        touched += static_cast<std::uint32_t>(expected.entries.size());
      }
      CHECK(touched > 100);
    }
  }
}

TEST_CASE("pieces of long entries score by the words they hold, and each token stands once") {
  World world(31, 200);
  RandomQueries queries(world.random, *world.banks[0]);
  int cut = 0;
  for (int i = 0; i < 60; ++i) {
    SearchQuery query = queries.Make(false);
    query.allowed = nullptr;
    query.limit = 10'000;
    const SearchResult whole = Ask(*world.banks[0], query);
    query.weights.piece = 2;
    query.weights.whole = 4;
    query.weights.cut = 20;
    query.weights.entry_share = 0.25F;
    query.breaks = kCutAnywhere;
    const SearchResult found = Ask(*world.banks[i % 4], query);
    if (found.pieces.empty()) {
      CHECK(found.entries == whole.entries);
      continue;
    }
    REQUIRE(found.pieces.size() == 2 * found.entries.size());
    std::map<std::uint32_t, std::vector<std::uint32_t>> covered;  // by entry: times, by token
    for (std::size_t rank = 0; rank < found.entries.size(); ++rank) {
      if (rank > 0) CHECK(found.scores[rank - 1] >= found.scores[rank]);
      const std::uint32_t entry = found.entries[rank];
      const std::uint32_t begin = found.pieces[2 * rank];
      const std::uint32_t end = found.pieces[2 * rank + 1];
      const TestTurn& turn = world.model.turns[entry];
      auto& times = covered[entry];
      times.resize(turn.tokens.size());
      REQUIRE(end <= turn.tokens.size());
      for (std::uint32_t token = begin; token < end; ++token) ++times[token];
      const auto at = static_cast<std::size_t>(
          std::find(whole.entries.begin(), whole.entries.end(), entry) - whole.entries.begin());
      REQUIRE(at < whole.entries.size());
      if (end - begin == turn.tokens.size()) {
        CHECK(found.scores[rank] == whole.scores[at]);
        continue;
      }
      ++cut;
      CHECK(turn.tokens.size() > 4);
      const double less = whole.scores[at] - found.scores[rank];
      CHECK(
          less ==
          doctest::Approx(whole.signature_scores[at] - found.signature_scores[rank]).epsilon(1e-4));
      std::vector<std::uint32_t> ends;
      text::CutTokens(turn.tokens, kCutAnywhere, 2, ends);
      const auto p =
          static_cast<std::size_t>(std::find(ends.begin(), ends.end(), end) - ends.begin());
      const double words = world.model.PieceWords(query, entry, ends, p, found.shares);
      CHECK(found.signature_scores[rank] ==
            doctest::Approx(0.25 * whole.signature_scores[at] + 0.75 * words).epsilon(1e-4));
    }
    CHECK(covered.size() == whole.entries.size());
    for (const auto& [entry, times] : covered) {
      CHECK(std::all_of(times.begin(), times.end(), [](std::uint32_t n) { return n == 1; }));
    }
  }
  CHECK(cut > 100);
}

TEST_CASE("erasing what was deleted changes no answer that leaves nothing out") {
  World world(21, 300);
  world.DeleteSome();
  world.EraseDeleted();
  CHECK(world.banks[4]->Stats(1).rows < world.banks[0]->Stats(1).rows + 1);
  RandomQueries queries(world.random, *world.banks[0]);
  for (int i = 0; i < 60; ++i) {
    SearchQuery query = queries.Make(i % 2 == 0);
    query.weights.prune = 0;
    query.weights.codes = 100;
    query.weights.visits = 0xffffffff;
    CheckSame(Ask(*world.banks[0], query), Ask(*world.banks[4], query));
  }
}

TEST_CASE("only candidates have dense scores: the best, and the newest among equals") {
  World world(31, 200);
  SearchQuery query;
  query.vector = {1, 0.3F, -0.2F, 0.7F, 0.4F, 0.9F};  // at a right angle to no window
  query.weights.candidates = 10;
  query.weights.dense = 1;
  query.limit = 1000;
  const SearchResult result = Ask(*world.banks[2], query);
  CHECK(result.entries.size() == 204);
  std::size_t scored = 0;  // but for a turn that says nothing and has no neighbour
  for (std::size_t i = 0; i < result.entries.size(); ++i) {
    if (result.dense_scores[i] == 0) continue;
    CHECK(result.entries[i] >= 194);
    ++scored;
  }
  CHECK(scored >= 8);
}

TEST_CASE("what was said lately counts more, by what has been told since, while it goes on") {
  World world(45, 150);
  world.DeleteSome();
  RandomQueries queries(world.random, *world.banks[0]);
  int lately = 0;
  int others = 0;
  for (int i = 0; i < 40; ++i) {
    SearchQuery query = queries.Make(false);
    for (auto& mark : query.marks) mark.end = std::max(mark.end, mark.begin + 1);
    for (auto& boost : query.boosts) boost.end = std::max(boost.end, boost.begin + 1);
    query.weights.candidates = 10'000;
    const SearchResult plain = Ask(*world.banks[0], query);
    query.recency = {0.5F, 7.0, 300.0, 2'000};
    const SearchResult found = Ask(*world.banks[2], query);
    std::vector<std::uint32_t> wanted;
    std::int64_t latest = -1'000'000;
    for (auto entry = static_cast<std::uint32_t>(world.model.turns.size()); entry-- > 0;) {
      if (!world.model.Wanted(query.allowed.get(), entry)) continue;
      if (wanted.size() < Recency::kNewest) {
        latest = std::max(latest, world.model.turns[entry].at);
      }
      wanted.push_back(entry);
    }
    std::uint32_t pointed = 0;
    for (const auto& mark : query.marks) pointed = std::max(pointed, mark.end);
    for (const auto& boost : query.boosts) pointed = std::max(pointed, boost.end);
    const auto newer_than_all =
        std::count_if(wanted.begin(), wanted.end(), [&](auto entry) { return entry >= pointed; });
    const bool another_time = pointed > 0 && newer_than_all > 7;
    (another_time ? others : lately)++;
    const double alive =
        another_time ? 0 : std::exp2(-std::max(0.0, 2'000 - static_cast<double>(latest)) / 300);
    for (std::size_t rank = 0; rank < plain.entries.size(); ++rank) {
      const std::uint32_t entry = plain.entries[rank];
      const auto newer =
          static_cast<double>(std::find(wanted.begin(), wanted.end(), entry) - wanted.begin());
      const auto at = std::find(found.entries.begin(), found.entries.end(), entry);
      REQUIRE(at != found.entries.end());
      CHECK(found.scores[static_cast<std::size_t>(at - found.entries.begin())] ==
            doctest::Approx(plain.scores[rank] + 0.5 * alive / (1 + newer / 7.0)).epsilon(1e-5));
    }
  }
  CHECK(lately > 5);
  CHECK(others > 5);
}

TEST_CASE("what a bulky role says has a price by its length, and so has what brings it about") {
  // Of role 0, 1, 2, 3, ...: 3 is bulky; 1 and 2 act, and only where a 3 follows them.
  constexpr std::array<std::uint8_t, 10> kRoles{0, 1, 2, 3, 0, 3, 1, 0, 2, 1};
  RandomTurns random(47, 40);
  std::vector<TestTurn> turns = random.MakeMany(kRoles.size(), 1);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    turns[i] = TestTurn{};
    turns[i].role = kRoles[i];
    turns[i].tokens.assign(64, 1);
    turns[i].codes = random.MakeMany(1, 1)[0].codes;
    while (turns[i].codes.empty()) turns[i].codes = random.MakeMany(1, 1)[0].codes;
  }
  const auto bank = NewBank();
  AppendTo(*bank, turns);
  SearchQuery query;
  query.vector.assign(TestVectors().dimensions(), 1.0F);
  query.recency = {1.0F, 1e9, 1e9, 0};  // so that all have a score of 1
  query.weights.piece = 100;
  query.weights.whole = 100;
  query.weights.bulky = 1U << 3;
  query.weights.acting = 1U << 1 | 1U << 2;
  query.weights.bulk_price = 0.5F;
  query.weights.bulk_free = 1;
  query.weights.action_free = 16;
  query.limit = 100;
  const SearchResult found = Ask(*bank, query);
  REQUIRE(found.entries.size() == kRoles.size());
  constexpr std::array<double, 10> kScores{1, 0.5, 0.5, 0.125, 1, 0.125, 1, 1, 1, 1};
  for (std::size_t rank = 0; rank < found.entries.size(); ++rank) {
    CHECK(found.scores[rank] == doctest::Approx(kScores[found.entries[rank]]));
  }
}

TEST_CASE("output counts less for the words that better items hold") {
  World world(49, 120);
  RandomQueries queries(world.random, *world.banks[0]);
  int lowered = 0;
  for (int i = 0; i < 30; ++i) {
    SearchQuery query = queries.Make(false);
    query.weights.piece = 1'000;
    query.weights.whole = 1'000;
    query.weights.bulky = 1U << 2 | 1U << 3;
    query.breaks = kCutAnywhere;
    query.limit = 10'000;
    const SearchResult plain = Ask(*world.banks[0], query);
    query.weights.repeat = 0.5F;
    const SearchResult found = Ask(*world.banks[i % 4], query);
    REQUIRE(found.entries.size() == plain.entries.size());
    std::map<std::uint32_t, double> left;  // by entry: its score
    for (std::size_t rank = 0; rank < plain.entries.size(); ++rank) {
      left[plain.entries[rank]] = plain.scores[rank];
    }
    std::set<std::uint64_t> heard;
    for (std::size_t rank = 0; rank < found.entries.size(); ++rank) {
      double best = -1e9;
      std::map<std::uint32_t, double> now;
      for (const auto& [entry, score] : left) {
        const TestTurn& turn = world.model.turns[entry];
        std::set<std::uint64_t> stems;
        for (const TestCode& code : turn.codes) stems.insert(code.word.stem);
        const auto known = std::count_if(stems.begin(), stems.end(),
                                         [&](auto stem) { return heard.contains(stem); });
        const bool falls = turn.role >= 2 && score > 0 && !stems.empty();
        const double share =
            falls ? static_cast<double>(known) / static_cast<double>(stems.size()) : 0;
        now[entry] = score * (1 - 0.5 * share);
        best = std::max(best, now[entry]);
      }
      const std::uint32_t entry = found.entries[rank];
      REQUIRE(left.contains(entry));
      CHECK(found.scores[rank] == doctest::Approx(now[entry]).epsilon(1e-5));
      CHECK(now[entry] >= best - 1e-5);
      if (now[entry] < left[entry]) ++lowered;
      for (const TestCode& code : world.model.turns[entry].codes) heard.insert(code.word.stem);
      left.erase(entry);
    }
  }
  CHECK(lowered > 100);
}

TEST_CASE("what was not recalled for long counts less") {
  World world(41, 100);
  RandomQueries queries(world.random, *world.banks[0]);
  SearchQuery query = queries.Make(false);
  query.codes = queries.Codes(5);
  query.codes.radius = 40;
  query.vector.clear();
  query.allowed = nullptr;
  query.marks.clear();
  query.speakers.clear();
  query.speaker_codes.clear();
  const SearchResult plain = Ask(*world.banks[0], query);
  REQUIRE(plain.entries.size() > 3);
  const std::uint32_t recalled = plain.entries[2];
  query.forgetting = {0.5, 1'000, 600'000, [&](std::span<const std::uint32_t> entries) {
                        std::vector<PartFacts::Strength> strengths;
                        for (const std::uint32_t entry : entries) {
                          strengths.push_back({entry, 0, 0});
                          if (entry == recalled) strengths.back() = {entry, 3, 599'000};
                        }
                        return strengths;
                      }};
  const SearchResult forgetful = Ask(*world.banks[2], query);
  REQUIRE(forgetful.entries.size() == plain.entries.size());
  for (std::size_t i = 0; i < plain.entries.size(); ++i) {
    const std::uint32_t entry = plain.entries[i];
    const auto at = std::find(forgetful.entries.begin(), forgetful.entries.end(), entry) -
                    forgetful.entries.begin();
    const double passed =
        std::max(0.0, 600'000.0 - static_cast<double>(world.model.turns[entry].at));
    const double retention =
        entry == recalled ? std::exp(-1'000.0 / 4'000.0) : std::exp(-passed / 1'000.0);
    CHECK(forgetful.scores[static_cast<std::size_t>(at)] ==
          doctest::Approx(double{plain.scores[i]} * (0.5 + 0.5 * retention)));
  }
}

TEST_CASE("the conjunctive search finds what holds all, newest first among equals, in any cut") {
  for (std::uint32_t seed = 51; seed <= 53; ++seed) {
    CAPTURE(seed);
    World world(seed, 300);
    world.DeleteSome();
    RandomQueries queries(world.random, *world.banks[0]);
    for (std::uint32_t i = 0; i < 40; ++i) {
      ConjunctiveQuery query;
      query.codes = queries.Codes(1 + i % 3);
      if (i % 4 == 0) query.codes.stems.clear();
      query.allowed = queries.Make(false).allowed;
      query.limit = i % 5 == 0 ? 3 : 1000;
      REQUIRE(CheckQuery(kTestWords, query).ok());
      TopEntries<Ties::kNewerFirst> top(query.limit);
      for (std::uint32_t entry = 0; entry < world.model.turns.size(); ++entry) {
        if (!world.model.Wanted(query.allowed.get(), entry)) continue;
        const double score = world.model.ScoreAll(query, entry);
        if (score > 0) top.Offer(static_cast<float>(score), entry);
      }
      const auto expected = top.Take();
      for (auto& bank : world.banks) {
        SearchResult result;
        REQUIRE(SearchAll(*bank->Read(1), query, kGoOn, result).ok());
        REQUIRE(result.entries.size() == expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k) {
          CHECK(result.entries[k] == expected[k].entry);
          CHECK(result.scores[k] == expected[k].score);
        }
      }
    }
  }
}

TEST_CASE("a search that is given up leaves nothing behind for the next") {
  World world(61, 300);
  const TestVectors vectors;
  RandomQueries queries(world.random, *world.banks[0]);
  SearchQuery query = queries.Make(false);
  query.codes = queries.Codes(10);
  query.vector.assign(6, 1.0F);
  query.allowed = nullptr;
  const Bank& bank = *world.banks[1];
  const SearchResult before = Ask(bank, query);
  for (int polls = 0; polls < 60; ++polls) {
    int left = polls;
    const Cancelled soon = [&left] { return left-- <= 0; };
    SearchResult partial;
    const Status status = Search(*bank.Read(1), &vectors, query, soon, partial);
    if (!status.ok()) CHECK(status.code() == ErrorCode::kAborted);
    CheckSame(before, Ask(bank, query));
  }
}

TEST_CASE("an empty bank finds nothing") {
  const auto bank = NewBank();
  RandomTurns random(71);
  World world(71, 10);
  RandomQueries queries(random, *world.banks[0]);
  CHECK(Ask(*bank, queries.Make(false)).entries.empty());
  ConjunctiveQuery all;
  all.codes = queries.Codes(2);
  all.limit = 5;
  SearchResult result;
  CHECK(SearchAll(*bank->Read(1), all, kGoOn, result).ok());
  CHECK(result.entries.empty());
}

TEST_CASE("queries whose parts disagree are refused") {
  World world(81, 20);
  const TestVectors vectors;
  RandomQueries queries(world.random, *world.banks[0]);
  SearchQuery good;
  good.codes = queries.Codes(3);
  good.vector.assign(6, 1.0F);
  good.speakers = {1};
  good.speaker_codes = {2};
  good.marks = {{0, 1, 2}};
  CHECK(CheckQuery(kTestWords, &vectors, good).ok());
  CHECK(CheckQuery(kTestWords, nullptr, good).code() == ErrorCode::kInternal);
  const auto refused = [&](auto change) {
    SearchQuery query = good;
    change(query);
    CHECK(CheckQuery(kTestWords, &vectors, query).code() == ErrorCode::kInternal);
  };
  refused([](SearchQuery& q) { q.codes.signatures.pop_back(); });
  refused([](SearchQuery& q) { q.codes.stems.pop_back(); });
  refused([](SearchQuery& q) { q.vector.pop_back(); });
  refused([](SearchQuery& q) { q.speakers.pop_back(); });
  refused([](SearchQuery& q) { q.speaker_codes[0] = 3; });
  refused([](SearchQuery& q) { q.marks[0].code = 3; });
  refused([](SearchQuery& q) { q.marks[0].end = 0; });
  refused([](SearchQuery& q) { q.weights.length = 1; });
  refused([](SearchQuery& q) { q.weights.prune = -1; });
  refused([](SearchQuery& q) { q.weights.bulk_free = 0; });
  refused([](SearchQuery& q) { q.weights.action_free = 0; });
  refused([](SearchQuery& q) { q.weights.repeat = 1.5F; });
  refused([](SearchQuery& q) { q.recency.entries = 0; });
  refused([](SearchQuery& q) { q.recency.half_life_milliseconds = 0; });
  refused([](SearchQuery& q) { q.forgetting.weight = 2; });
  refused(
      [](SearchQuery& q) { q.forgetting.weight = 0.5; });  // asks nobody how strong memories are
  ConjunctiveQuery all;
  all.codes = good.codes;
  CHECK(CheckQuery(kTestWords, all).ok());
  all.codes.signatures.pop_back();
  CHECK(CheckQuery(kTestWords, all).code() == ErrorCode::kInternal);
}

}  // namespace dentate::bank::test
