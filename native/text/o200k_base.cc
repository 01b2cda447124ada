#include "text/o200k_base.h"

#include <mutex>
#include <utility>

namespace dentate::text {
namespace {

struct Shared {
  std::mutex mutex;
  std::shared_ptr<const Vocabulary> vocabulary;
};

Shared& Instance() {
  static Shared shared;
  return shared;
}

}  // namespace

std::shared_ptr<const Vocabulary> O200kBase() {
  const std::lock_guard lock(Instance().mutex);
  return Instance().vocabulary;
}

Status LoadO200kBase(std::string_view file) {
  const std::lock_guard lock(Instance().mutex);
  if (Instance().vocabulary != nullptr) return Status::Ok();
  std::shared_ptr<const Vocabulary> parsed;
  if (Status status = Vocabulary::Parse(file, &parsed); !status.ok()) return status;
  if (parsed->size() != kO200kBaseSize || parsed->Fingerprint() != kO200kBaseFingerprint) {
    return {ErrorCode::kCorruption, "the rank file is not that of o200k_base"};
  }
  Instance().vocabulary = std::move(parsed);
  return Status::Ok();
}

}  // namespace dentate::text
