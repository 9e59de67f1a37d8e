#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/protocol/worker_messages.h"
#include "engine/serve/http_message.h"
#include "engine/serve/image_files.h"
#include "engine/serve/model_workers.h"
#include "engine/serve/served_model.h"

namespace lockstep::serve {

/// An image, or where it is fetched from.
struct ImageInput {
  std::string content{};
  std::string url{};  ///< empty: `content` is the image
};

/// What an API makes of a request: images, what is asked of them, and how the answers become one.
struct DetectionRequest {
  std::vector<ImageInput> images{};
  protocol::AnswerForm form = protocol::AnswerForm::Results;
  double scoreThreshold = 0.05;
  std::vector<std::int64_t> categoryIds{};
  /// All answers, in the order of the images, without errors.
  std::function<HttpResponse(const std::vector<DetectionAnswer>&)> respond{};
};

/// What requests may refer to, and how much of it.
struct RequestRules {
  const ServedModel& model;
  const ImageFiles* files = nullptr;  ///< none: requests name no files
  bool allowsUrls = false;
  std::size_t mostImages = 64;
  std::size_t mostImageBytes = std::size_t{32} << 20;
};

/// The JSON object of a body. Throws HttpError.
nlohmann::json documentOf(std::string_view body);
/// An image of a JSON document: {"b64"|"file"|"url": …}. Throws HttpError.
ImageInput imageOfMember(std::string_view kind, const std::string& value,
                         const RequestRules& rules);
/// A number from 0 to 1. Throws HttpError.
double scoreOf(std::string_view text);

}  // namespace lockstep::serve
