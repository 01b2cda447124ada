// Tells JavaScript how far the log is durable.
//
//   the log's thread  Notify ─► newest sequence ─► (one call at a time) ─► callback(sequence)
//
// Rule 1. One call is under way at most: what comes meanwhile is told by it, or by the next.
// Rule 2. It keeps the event loop alive only while it is held: somebody then waits for a call.
// Rule 3. An environment may end at any moment, with a worker thread that is terminated. Its
// cleanup hook runs before Node lets go of the thread-safe function, and from then on nothing is
// called.
//
// Threads. Notify: any. The rest: the JavaScript thread.

#ifndef DENTATE_NAPI_DURABLE_SIGNAL_H_
#define DENTATE_NAPI_DURABLE_SIGNAL_H_

#include <napi.h>

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/status.h"

namespace dentate::napi {

class DurableSignal {
 public:
  // `callback(sequence, error)`: error only once, where the log breaks.
  static std::shared_ptr<DurableSignal> Make(Napi::Env env, Napi::Function callback);

  void Notify(std::uint64_t sequence, const Status& status);
  void Hold(bool on);
  // Nothing is called any more.
  void Close();

 private:
  using Context = std::shared_ptr<DurableSignal>;
  static void Call(Napi::Env env, Napi::Function callback, Context* context, void* data);
  static void OnCleanup(void* signal);
  using Function = Napi::TypedThreadSafeFunction<Context, void, &DurableSignal::Call>;

  // Whether it was closed before.
  bool MarkClosed();

  Function function_;
  Napi::Env env_ = nullptr;

  std::mutex mutex_;  // of all that follows
  std::uint64_t sequence_ = 0;
  Status status_;
  bool is_status_told_ = false;
  bool calling_ = false;
  bool closed_ = false;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_DURABLE_SIGNAL_H_
