#include <windows.h>

#include "core/priority.h"

namespace dentate {

void LowerThreadPriority() noexcept {
  // One level down. Windows lifts a thread that has been ready for seconds without running.
  SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

}  // namespace dentate
