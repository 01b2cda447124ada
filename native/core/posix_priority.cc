#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread/qos.h>
#endif

#include "core/priority.h"

namespace dentate {

void LowerThreadPriority() noexcept {
#if defined(__linux__)
  // On Linux a thread has a nice value of its own. 10: a tenth of a processor that others want.
  constexpr int kNice = 10;
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice));
#elif defined(__APPLE__)
  static_cast<void>(pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0));
#endif
}

}  // namespace dentate
