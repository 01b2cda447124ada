#include "storage/settings.h"

namespace dentate::storage {
namespace {

std::string Side(const Settings& settings, const std::string& name) {
  const auto setting = settings.find(name);
  return setting == settings.end() ? "none" : "\"" + setting->second + "\"";
}

}  // namespace

Status CheckSettings(const Settings& asked, const Settings& found) {
  Settings all = asked;
  all.insert(found.begin(), found.end());
  for (const auto& [name, value] : all) {
    const std::string ours = Side(asked, name);
    const std::string theirs = Side(found, name);
    if (ours == theirs) continue;
    std::string message = name;
    message.append(": the store has ").append(theirs).append(", ").append(ours);
    return Status(ErrorCode::kMismatch, message.append(" was asked for"));
  }
  return Status::Ok();
}

}  // namespace dentate::storage
