#include "engine/data/bad_image.h"

namespace lockstep::data {

std::string withoutFileName(const std::string& message, const std::string& file) {
  const std::string prefix = file + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

BadImage badImage(ImageId id, const std::string& file, const std::string& message) {
  std::string reason = withoutFileName(message, file);
  reason = reason.substr(0, reason.find("; "));
  return {message, {id, file, std::move(reason)}};
}

}  // namespace lockstep::data
