// Work that a writer hands off so that it never waits: page-faulting fresh memory, sealing,
// merging, and freeing what is large.
//
// Two queues with a thread each, since preparing memory (milliseconds, wanted soon) must not wait
// behind a merge (seconds). A thread starts with the first job and ends when its queue has been
// empty for a while, so that an idle process has none. Nothing joins them: a job owns, by
// shared_ptr, all it touches, and the queues are never destroyed, so that a job may still run while
// the process exits or an environment is torn down. (Each thread holds an epoch slot, whose
// thread-local destructor also keeps the library from being unloaded under it.)
//
// Threads: any.

#ifndef DENTATE_SUCCINCT_BACKGROUND_H_
#define DENTATE_SUCCINCT_BACKGROUND_H_

#include <functional>

namespace dentate::succinct {

enum class BackgroundQueue { kMemory, kSealing };

// Runs the job later, on the queue's thread, after the jobs before it. A job must not throw. Throws
// std::bad_alloc or std::system_error where not even a queue entry or a thread can be had.
void RunInBackground(BackgroundQueue queue, std::function<void()> job);

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_BACKGROUND_H_
