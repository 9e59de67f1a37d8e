#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/protocol/worker_messages.h"
#include "engine/serve/http_message.h"
#include "engine/serve/model_workers.h"
#include "engine/serve/served_model.h"

namespace lockstep::serve {

/// An image, or where it is read or fetched from.
struct ImageInput {
  std::string content{};
  std::string file{};       ///< below the folder of --files
  std::string otherFile{};  ///< read if `file` does not exist; empty: none
  std::string url{};        ///< this and `file` empty: `content` is the image
  bool isThere() const { return file.empty() && url.empty(); }
};

/// What an API makes of a request: images, what is asked of them, and how the answers become one.
struct DetectionRequest {
  std::vector<ImageInput> images{};
  protocol::AnswerForm form = protocol::AnswerForm::Results;
  double scoreThreshold = 0.05;
  std::vector<std::int64_t> categoryIds{};
  std::string version{};  ///< of the model, which must be the one that answers; empty: any
  /// All answers, in the order of the images, without errors.
  std::function<HttpResponse(const std::vector<DetectionAnswer>&)> respond{};
  bool isSlowToRespond = false;  ///< `respond` is called in another thread
};

/// What requests may refer to, and how much of it.
struct RequestRules {
  const ServedModel& model;
  bool allowsFiles = false;
  bool allowsUrls = false;
  std::size_t mostImages = 0;
};

/// The JSON object of a body. Throws HttpError.
nlohmann::json documentOf(std::string_view body);
/// Throws HttpError (413) if that is one too many.
void addImage(DetectionRequest& asked, ImageInput image, const RequestRules& rules);
/// An image in JSON: base64, also as a `data:` address. Throws HttpError whose message begins with
/// `where`.
std::string decodedImage(std::string_view text, const std::string& where);
/// An image of a JSON document: {"b64"|"file"|"url": …}. Throws HttpError.
ImageInput imageOfMember(std::string_view kind, const std::string& value,
                         const RequestRules& rules);
/// Those of a list of names and ids. Throws HttpError.
std::vector<std::int64_t> categoryIdsOf(const nlohmann::json& classes, const ServedModel& model);
/// Throws HttpError (404) where a request names a version, which is not empty, and it is not
/// `step`.
void requireVersion(const std::string& version, std::int64_t step);
/// A number from 0 to 1. Throws HttpError.
double scoreOf(std::string_view text);

}  // namespace lockstep::serve
