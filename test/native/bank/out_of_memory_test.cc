// Fails each allocation in turn, by operator new and calloc of this executable.

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "bank/bank.h"
#include "bank/bank_model.h"
#include "bank/random_batches.h"

namespace {

std::atomic<long> allocations_left{-1};  // negative: as many as there are

bool Refused() noexcept {
  if (allocations_left.load(std::memory_order_relaxed) < 0) return false;
  return allocations_left.fetch_sub(1, std::memory_order_relaxed) == 0;
}

void* Allocate(std::size_t size) {
  if (Refused()) throw std::bad_alloc();
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

// Append vectors take their chunks by calloc, which a sanitizer has as its own.
#if defined(__GLIBC__) && !defined(DENTATE_SANITIZED)
extern "C" {
void* __libc_calloc(std::size_t count, std::size_t size);
void* calloc(std::size_t count, std::size_t size) noexcept {
  return Refused() ? nullptr : __libc_calloc(count, size);
}
}
#endif

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }

namespace dentate::bank::test {

// The only guard of what is given up between the record and its being there.
TEST_CASE("a change that runs out of memory changes nothing, and the next one succeeds") {
  RandomTurns random(5);
  BankModel model;
  std::vector<std::vector<std::uint8_t>> records;
  Bank bank({kTestWords}, "a bank", 1);
  const Sink sink = [&](std::span<const std::uint8_t> record) {
    // The log's own memory is not what is tested.
    const long left = allocations_left.exchange(-1);
    records.emplace_back(record.begin(), record.end());
    allocations_left.store(left);
    return Status::Ok();
  };
  {
    // What this thread keeps (lease.h) registers a destructor, for which glibc aborts without
    // memory.
    Bank first({kTestWords}, "", 1);
    AppendResult result;
    const Sink deaf = [](std::span<const std::uint8_t>) { return Status::Ok(); };
    REQUIRE(first.Append(OwnedBatch(random.MakeMany(2, 1)).View(), deaf, result).ok());
  }
  std::uint32_t failures = 0;
  for (std::uint32_t step = 0; step < 60; ++step) {
    model.now += 10;
    std::vector<TestTurn> turns = random.MakeMany(1 + step % 3, model.now);
    if (step % 4 == 1) turns[0].expires = model.now + 50;
    if (step % 4 == 2) turns[0].origin = random.Below(model.size());
    const OwnedBatch owned(turns);
    Batch batch = owned.View();
    batch.restore = true;
    AppendResult result;
    Status status;
    const std::size_t logged = records.size();
    for (long allowed = 0;; ++allowed) {
      allocations_left.store(allowed);
      status = bank.Append(batch, sink, result);
      allocations_left.store(-1);
      if (status.ok()) break;
      ++failures;
      REQUIRE(status.code() == ErrorCode::kOutOfMemory);
      REQUIRE(bank.next_entry() == model.size());
      REQUIRE(records.size() == logged);
    }
    REQUIRE(records.size() == logged + 1);
    for (const TestTurn& turn : turns) model.Push(turn);

    if (step % 5 != 4) continue;
    const std::vector<std::uint32_t> some{random.Below(model.size()), random.Below(model.size())};
    const auto all_there = [&] {
      std::uint32_t deleted = 0;
      status = step % 2 == 0 ? bank.Delete(some, sink, deleted) : bank.Touch(some, model.now, sink);
      return status.ok();
    };
    for (long allowed = 0;; ++allowed) {
      allocations_left.store(allowed);
      const bool done = all_there();
      allocations_left.store(-1);
      if (done) break;
      ++failures;
      REQUIRE(status.code() == ErrorCode::kOutOfMemory);
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (step % 2 == 0) {
        for (const auto version : model.Versions(some[i])) model.entries[version].deleted = true;
      } else if (!model.entries[some[i]].deleted && (i == 0 || some[0] != some[1])) {
        ++model.entries[some[i]].recalls;
        model.entries[some[i]].last = model.now;
      }
    }
    if (step % 15 == 14) bank.Freeze();
  }
  CHECK(failures > 500);
  CheckBank(bank, model);
  // Words and names of appends that failed are in the next record, where they belong.
  Bank copy({kTestWords}, "a copy", 1);
  for (const auto& record : records) {
    const Status status = copy.ApplyRecord(record);
    REQUIRE_MESSAGE(status.ok(), status.message());
  }
  CheckBank(copy, model);
}

}  // namespace dentate::bank::test
