#include "engine/data/bad_image.h"

namespace lockstep::data {

BadImage badImage(ImageId id, const std::string& file, const std::string& message) {
  const std::string prefix = file + ": ";
  std::string reason = message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  reason = reason.substr(0, reason.find("; "));
  return {message, {id, file, std::move(reason)}};
}

}  // namespace lockstep::data
