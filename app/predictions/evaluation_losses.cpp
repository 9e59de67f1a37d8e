#include "app/predictions/evaluation_losses.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/protocol/json_text.h"

namespace lockstep::app {
std::unordered_map<ImageId, double> parseImageLosses(const std::string& text,
                                                     const std::string& name) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw Error(name + ": not JSON (the file is truncated or damaged)");
  std::unordered_map<ImageId, double> losses;
  const auto images = json.find("per_image");
  if (images == json.end() || !images->is_array()) return losses;
  for (const nlohmann::json& image : *images) {
    const auto id = image.find("image_id"), loss = image.find("loss_total");
    if (id == image.end() || !id->is_number_integer() || loss == image.end()) continue;
    losses[ImageId{id->get<std::int64_t>()}] = protocol::numberOf(*loss).value_or(std::nan(""));
  }
  return losses;
}

}  // namespace lockstep::app
