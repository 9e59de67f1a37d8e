#include "engine/serve/detection_request.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/base64.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/base/utf8.h"
#include "engine/protocol/json_text.h"

namespace lockstep::serve {
namespace {

constexpr std::string_view kDataScheme = "data:";

bool isDataAddress(std::string_view text) {
  return base::lowerCase(text.substr(0, kDataScheme.size())) == kDataScheme;
}

}  // namespace

nlohmann::json documentOf(std::string_view body) {
  constexpr auto kMostCommas = 100'000;  // each may take 100 bytes of memory
  if (std::ranges::count(body, ',') > kMostCommas)
    throw HttpError{400, "the body: has more than " + std::to_string(kMostCommas) +
                             " members; send pixels as application/x-npy"};
  try {
    return protocol::parseObject(body, "the body");
  } catch (const Error& error) {
    throw HttpError{400, error.what()};
  }
}

void addImage(DetectionRequest& asked, ImageInput image, const RequestRules& rules) {
  if (asked.images.size() >= rules.mostImages)
    throw HttpError{413, "a request may have at most " + base::counted(rules.mostImages, "image")};
  if (image.isThere() && image.content.empty()) throw HttpError{400, "the image is empty"};
  asked.images.push_back(std::move(image));
}

std::string decodedImage(std::string_view text, const std::string& where) {
  if (isDataAddress(text)) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma == text.size() || !base::lowerCase(text.substr(0, comma)).ends_with(";base64"))
      throw HttpError{400, where + ": a data: address must be data:image/jpeg;base64,…"};
    text.remove_prefix(comma + 1);
  }
  try {
    return base::decodeBase64(text);
  } catch (const Error& error) {
    throw HttpError{400, where + ": " + error.what()};
  }
}

ImageInput imageOfMember(std::string_view kind, const std::string& value,
                         const RequestRules& rules) {
  if (kind == "b64" || (kind == "url" && isDataAddress(value)))
    return {.content = decodedImage(value, std::string(kind))};
  if (kind == "file") {
    if (!rules.allowsFiles)
      throw HttpError{403, "file: this server reads no files; it was started without --files"};
    if (value.empty()) throw HttpError{404, "file: the name is empty"};
    return {.file = value};
  }
  if (!rules.allowsUrls)
    throw HttpError{403, "url: this server fetches nothing; it was started without --allow-urls"};
  if (value.empty()) throw HttpError{403, "url: the address is empty"};
  return {.url = value};
}

std::vector<std::int64_t> categoryIdsOf(const nlohmann::json& classes, const ServedModel& model) {
  if (!classes.is_array()) throw HttpError{400, "classes: must be a list of names or ids"};
  AskedClasses asked(model);
  for (const nlohmann::json& one : classes) {
    if (one.is_string())
      asked.add(one.get_ref<const std::string&>());
    else if (one.is_number_integer())
      asked.add(one.get<std::int64_t>());
    else
      throw HttpError{400, "classes: must be names or ids, not " + base::shortened(one.dump())};
  }
  return asked.ids();
}

void requireVersion(const std::string& version, std::int64_t step) {
  if (!version.empty() && version != std::to_string(step))
    throw HttpError{404, "the model has no version " + base::shortened(version) + "; step " +
                             std::to_string(step) + " is served"};
}

double scoreOf(std::string_view text) {
  double score = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
  if (error != std::errc() || end != text.data() + text.size() || !(score >= 0 && score <= 1))
    throw HttpError{400, "score: must be a number from 0 to 1"};
  return score;
}

}  // namespace lockstep::serve
