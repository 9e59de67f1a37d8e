#include "engine/coco/files/json_nan.h"

#include <algorithm>
#include <array>

namespace lockstep::coco {
namespace {

constexpr std::array<std::string_view, 3> kWords{"NaN", "Infinity", "-Infinity"};
constexpr char kDelete = '\x7f';  // valid in a JSON string, and in no name

}  // namespace

bool quoteNan(std::span<char> json) {
  const std::string_view text(json.data(), json.size());
  bool hasNan = false, inString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (inString && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      inString = !inString;
    } else if (!inString && (text[i] == 'N' || text[i] == 'I' || text[i] == '-')) {
      const auto word = std::ranges::find_if(
          kWords, [&](std::string_view one) { return text.substr(i).starts_with(one); });
      if (word == kWords.end()) continue;
      std::ranges::fill(json.subspan(i, word->size()), kDelete);
      json[i] = json[i + word->size() - 1] = '"';
      i += word->size() - 1;
      hasNan = true;
    }
  }
  return hasNan;
}

bool isQuotedNan(std::string_view string) {
  return !string.empty() && string.find_first_not_of(kDelete) == std::string_view::npos;
}

}  // namespace lockstep::coco
