// What a search is given, and what it gives back.

#ifndef DENTATE_BANK_QUERY_H_
#define DENTATE_BANK_QUERY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bank/known_balls.h"
#include "bank/snapshot.h"

namespace dentate::bank {

// The signatures of a question's words, row-major, and what belongs to each.
struct QueryCodes {
  std::vector<std::uint64_t> signatures;
  std::vector<std::uint64_t> stems;    // or none at all: then only bits count
  std::vector<std::uint32_t> word_of;  // which word the signature is of
  std::uint32_t radius = 0;
  std::shared_ptr<const KnownBalls> known;  // what need not be looked for; null: nothing
};

// How many entries to each side a match reaches within its session.
inline constexpr std::size_t kReach = 4;

struct SearchWeights {
  float dense = 0;                         // of the cosine
  float speaker = 0;                       // of being said by a speaker the question names
  std::array<float, kReach> neighbours{};  // of a match 1, 2, 3, 4 entries away
  float length = 0;                        // how far long entries count less: 0 not, 1 in full
  double prune = 0;                        // codes that could give less than this share of a score
                                           // are not looked up
  std::uint32_t codes = 12;                // the rarest so many signatures are enumerated
  std::uint32_t visits = 0xffffffff;       // entries that are looked up, in all
  std::uint32_t candidates = 512;          // the best so many get a dense score
  std::uint32_t piece = 0;                 // tokens of a piece (piece_search.h); 0: no entry is cut
  std::uint32_t whole = 0;                 // entries of at most so many tokens stay whole
  std::uint32_t cut = 0;                   // of the best so many entries the long ones are cut
  float entry_share = 0;          // of a piece's words: how far its entry's count for its own
  std::uint32_t bulky = 0;        // bit i: what role i says comes in bulk (piece_search.h)
  std::uint32_t acting = 0;       // bit i: and so does what role i says to bring that about
  float bulk_price = 0;           // the power of its tokens by which what is bulky counts less
  std::uint32_t bulk_free = 1;    // tokens that it may have for nothing
  std::uint32_t action_free = 1;  // the same, of what brings it about
  float give_way = 0;             // how far a bulky piece counts less for each better one
  float repeat = 0;               // how far it counts less for words of better items (repeats.h)
};

// How much what was not recalled for long counts less: the forgetting curve of H. Ebbinghaus, as
// W. Zhong et al., "MemoryBank: enhancing large language models with long-term memory", AAAI 2024,
// use it.
//
//   retention(e) = exp(-(now - last) / (S * (1 + recalls)))      1 for what lies ahead of `now`
//   score(e)    *= 1 - weight + weight * retention(e)
//
// `last` is the last recall of e, or its own time where there was none.
struct Forgetting {
  double weight = 0;                  // 0 to 1; 0: nothing is forgotten
  double stability_milliseconds = 1;  // S
  std::int64_t now = 0;               // Unix ms
  // Of each of the entries, in their order: recalls, and the last one; 0 and 0 where there was
  // none.
  std::function<std::vector<PartFacts::Strength>(std::span<const std::uint32_t> entries)> strengths;
};

// How much what was said lately counts more: a question is often about what goes on.
//
//   alive     2^(-(now - t) / half life), t being the latest time of the newest kNewest entries;
//             1 where that lies ahead of `now`
//   score(e) += weight * alive / (1 + entries newer than e / entries)
//
// Both over wanted entries (slots.h), of which the newest is the one that was added last: how far
// back e is says what has been told since, however fast that came and whatever times it bears. The
// clock is asked only whether it still goes on. Nothing where the question points at entries
// (marks, boosts) of which each has more than `entries` newer ones: it is about another time then.
struct Recency {
  static constexpr std::uint32_t kNewest = 64;

  float weight = 0;
  double entries = 1;  // so far back there is half of it left
  double half_life_milliseconds = 1;
  std::int64_t now = 0;  // Unix ms
};

struct SearchQuery {
  QueryCodes codes;
  std::vector<float> vector;  // empty: signatures alone
  // The speakers whom the question names, by their bank-wide numbers; speaker_codes[i], unless it
  // is kNone, is the signature that names speakers[i] and so matches all that she said.
  std::vector<std::uint32_t> speakers;
  std::vector<std::uint32_t> speaker_codes;
  // Entries [begin, end), bank-wide, that signature number `code` matches whatever they say: those
  // of a date the question names, for example.
  struct Mark {
    std::uint32_t code, begin, end;
  };
  std::vector<Mark> marks;
  // Entries [begin, end), bank-wide, that the question points at by their time or place: each gets
  // this share of the best score by words on top. Those that overlap add up.
  struct Boost {
    std::uint32_t begin, end;
    float weight;
  };
  std::vector<Boost> boosts;
  SearchWeights weights;
  Forgetting forgetting;
  Recency recency;
  // Of the snapshot's current entries only these are found, and count; null: all.
  std::shared_ptr<const EntryMask> allowed;
  // Where a text may be cut, by token id (text/token_breaks.h); outlives the search.
  std::span<const std::uint8_t> breaks;
  std::uint32_t limit = 0;
};

struct ConjunctiveQuery {
  QueryCodes codes;
  std::shared_ptr<const EntryMask> allowed;  // as above
  std::uint32_t limit = 0;
};

// Parallel arrays, best first.
struct SearchResult {
  std::vector<std::uint32_t> entries;
  std::vector<float> scores;
  std::vector<float> signature_scores;
  std::vector<float> dense_scores;  // weighted cosines; 0 where the query has no vector
  std::vector<float> place_scores;  // what boosts gave; empty without any
  // Two numbers an item: the piece [begin, end) of the entry that the item is, in tokens from the
  // entry's start. Empty where none was cut.
  std::vector<std::uint32_t> pieces;
  // Not of the entries but of the query's signatures: how much a full match of each is of a
  // signature score. Their sum is 1; those left out have 0. Empty for searches that have no shares.
  std::vector<float> shares;
  // Codes of a current entry, on average: what the length weight compares with. 0 for searches that
  // have no shares.
  double mean_codes = 0;
};

// Whether the caller has given up: asked at least every millisecond of work.
using Cancelled = std::function<bool()>;

}  // namespace dentate::bank

#endif  // DENTATE_BANK_QUERY_H_
