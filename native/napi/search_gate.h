// How many searches of one environment run at once.
//
// Searches share libuv's pool, and more of them than there are processors to spare would take the
// JavaScript thread's own. JavaScript itself submits no more than one beyond that
// (src/internal/search-slots.ts): this one waits here, on a thread of the pool, and starts when
// another ends, however long JavaScript takes to look at that one's result.
//
// Any thread. Waits for as long as a search takes.

#ifndef DENTATE_NAPI_SEARCH_GATE_H_
#define DENTATE_NAPI_SEARCH_GATE_H_

#include <algorithm>
#include <semaphore>
#include <thread>

namespace dentate::napi {

class SearchGate {
 public:
  SearchGate() : free_(MostSearches()) {}

  // A search that runs; it waits until it may.
  class Pass {
   public:
    explicit Pass(SearchGate& gate) : gate_(gate) { gate_.free_.acquire(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() { gate_.free_.release(); }

   private:
    SearchGate& gate_;
  };

 private:
  static constexpr int kMost = 4;  // threads of libuv's pool

  static int MostSearches() {
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()) - 1, 1, kMost);
  }

  std::counting_semaphore<kMost> free_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_SEARCH_GATE_H_
