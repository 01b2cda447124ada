// Any bytes as the image of a part: refused, or opened; and, where Validate finds nothing, asked
// everything, its facts included, and built anew.
//
// An even first byte: the others are the image. An odd one: an image that was built, with changes;
// three bytes a change, place and bits.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "../native/bank/plain_part.h"
#include "bank/part_builder.h"
#include "bank/sealed_part.h"
#include "succinct/aligned_bytes.h"

namespace {

using namespace dentate::bank;  // NOLINT(google-build-using-namespace)

void AskEntries(const SealedPart& part) {
  std::vector<std::uint8_t> extras;
  std::vector<std::uint32_t> tokens, codes, code_tokens, entries;
  const std::uint32_t n = part.entry_count();
  std::vector<std::uint32_t> speakers(n);
  part.Speakers(0, n, speakers.data());
  for (std::uint32_t e = 0; e < n; ++e) {
    const EntryRow row = part.Row(e);
    if (row.session != kNone) part.SessionName(row.session);
    if (row.speaker != kNone) part.SpeakerName(row.speaker);
    part.AppendExtras(e, extras);
    const Interval32 span = part.TokenSpan(e);
    tokens.resize(span.size());
    part.Tokens(span.begin, span.end, tokens.data());
    const Interval32 code_span = part.CodeSpan(e);
    part.Codes(code_span.begin, code_span.end, codes, &code_tokens);
    for (const std::uint32_t token : code_tokens) {
      if (token < span.begin || token >= span.end) std::abort();
    }
    std::vector<std::uint32_t> counts(codes.size());
    part.CountIn(codes, code_span, counts.data());
    part.RunBegin(e);
    const std::uint32_t previous = part.Previous(e);
    const std::uint32_t next = part.Next(e, n);
    if ((previous != kNone && previous >= e) || (next != kNone && (next <= e || next >= n))) {
      std::abort();
    }
    part.FindFingerprint(e, entries);
  }
  for (std::uint32_t session = 0; session < part.session_count(); ++session) {
    part.SessionName(session);
    if (part.FirstOfSession(session) >= n || part.LastOfSession(session, n) >= n) std::abort();
    part.LastOfSession(session, n / 2);
  }
}

void AskWords(const SealedPart& part) {
  std::vector<std::uint32_t> pieces, some(7);
  std::vector<std::uint64_t> signature(part.signature_words());
  BallFinder finder;
  Ball ball;
  for (std::uint32_t speaker = 0; speaker < part.speaker_count(); ++speaker) {
    for (std::uint32_t word = 0; word < part.speaker_word_count(speaker); ++word) {
      part.SpeakerWordStem(speaker, word);
      part.SpeakerWordPieces(speaker, word, pieces);
    }
  }
  for (std::uint32_t code = 0; code < part.code_count(); ++code) {
    part.Signature(code, signature.data());
    const std::uint64_t stem = part.Stem(code);
    part.Pieces(code, pieces);
    if (code < 3) part.FindBall(signature, &stem, 20, finder, ball);
    Part::Sweep sweep;
    std::size_t found = 0;
    while (const std::size_t count = part.EntriesOf(code, part.entry_count(), sweep, some)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (some[i] >= part.entry_count()) std::abort();
      }
      found += count;
    }
    if (found > part.OccurrencesOf(code) + 1) std::abort();
    part.EntriesWith(code);
  }
}

std::vector<std::vector<std::uint8_t>> BuildSome() {
  std::vector<std::vector<std::uint8_t>> images;
  for (std::uint32_t seed = 0; seed < 16; ++seed) {
    const std::size_t words = 1 + seed % 2;
    const PlainPart plain(RandomEntries(seed, words, 3).Make(seed, 1 + seed), words);
    PartFacts facts;
    facts.next_entry = 40;
    facts.deleted = {1, 2, 7};
    facts.versions = {{30, 2}};
    facts.expiries = {{31, 5}};
    facts.strengths = {{32, 1, 9}};
    const PartSource source{&plain, seed, plain.entry_count()};
    BuiltPart built;
    const auto status = BuildPart(
        {&source, 1}, [](std::uint32_t entry) { return entry % 5 != 4; }, facts, words, {}, built);
    if (!status.ok()) std::abort();
    images.push_back(std::move(built.image));
  }
  return images;
}

std::vector<std::uint8_t> ImageOf(std::span<const std::uint8_t> data) {
  if (data.empty()) return {};
  const std::uint8_t kind = data[0];
  data = data.subspan(1);
  if (kind % 2 == 0) return {data.begin(), data.end()};
  static const std::vector<std::vector<std::uint8_t>> built = BuildSome();
  std::vector<std::uint8_t> image = built[kind / 2 % built.size()];
  for (; data.size() >= 3; data = data.subspan(3)) {
    image[(data[0] | std::size_t{data[1]} << 8) % image.size()] ^= data[2];
  }
  return image;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> given = ImageOf({data, size});
  const dentate::succinct::AlignedBytes bytes(given.size());
  auto* const place = reinterpret_cast<std::uint8_t*>(bytes.data());
  std::copy(given.begin(), given.end(), place);
  const std::span<const std::uint8_t> image(place, given.size());
  // A list of deleted numbers may be long in few bytes, and is cut to the rows that there are: here
  // those of an earlier part, and some at the end.
  constexpr std::array<Interval32, 2> kRows = {{{0, 50}, {0xffffff00, 0xffffffff}}};
  PartFacts facts;
  (void)SealedPart::ReadFacts(image, kRows, facts).ok();
  if (facts.deleted.size() > 50 + 255) std::abort();
  std::shared_ptr<const SealedPart> part;
  if (!SealedPart::Open(image, nullptr, part).ok() || !part->Validate().ok()) return 0;
  AskEntries(*part);
  AskWords(*part);
  BuiltPart built;
  const PartSource source{part.get(), part->first_entry(), part->entry_count()};
  return BuildPart(
             {&source, 1}, [](std::uint32_t entry) { return entry % 3 != 0; }, facts,
             part->signature_words(), {}, built)
                 .ok()
             ? 0
             : -1;
}
