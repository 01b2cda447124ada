// How much a thread counts beside others (posix_priority.cc, windows_priority.cc).

#ifndef DENTATE_CORE_PRIORITY_H_
#define DENTATE_CORE_PRIORITY_H_

namespace dentate {

// For the calling thread, for good: it gives way to those who answer somebody, and yet gets
// something of a busy processor, so that it is never starved while somebody waits for it. Does
// nothing where the system has no such thing.
void LowerThreadPriority() noexcept;

}  // namespace dentate

#endif  // DENTATE_CORE_PRIORITY_H_
