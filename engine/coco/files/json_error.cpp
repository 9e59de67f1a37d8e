#include "engine/coco/files/json_error.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/shortened_text.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kMaxReasonLength = 160;

/// The reason in nlohmann's message, reduced to printable ASCII because it quotes the file.
std::string shortReason(const std::string& message) {
  const std::size_t start = message.rfind(" - ");
  std::string reason = start == std::string::npos ? message : message.substr(start + 3);
  std::replace_if(
      reason.begin(), reason.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  if (reason.size() > kMaxReasonLength) reason = reason.substr(0, kMaxReasonLength) + "…";
  return reason;
}

struct ErrorFinder : nlohmann::json_sax<nlohmann::json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string& lastToken,
                   const nlohmann::json::exception& error) override {
    constexpr int kNumberOverflow = 406;
    byte = position;
    reason = shortReason(error.what());
    if (error.id == kNumberOverflow) {
      byte = position + 1 - lastToken.size();
      reason = "the number " + base::shortened(lastToken) + " is out of range";
    }
    return false;
  }

  std::size_t byte = 0;  ///< 1-based; 0: nothing found
  std::string reason;
};

}  // namespace

std::optional<JsonError> findJsonError(std::string_view text) {
  ErrorFinder finder;
  nlohmann::json::sax_parse(text, &finder);
  if (finder.byte == 0) return std::nullopt;
  const std::size_t end = std::min(finder.byte - 1, text.size());
  const auto before = text.substr(0, end);
  const std::size_t lineEnd = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
  return JsonError{1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
                   lineEnd == std::string_view::npos ? end + 1 : end - lineEnd, finder.byte,
                   finder.reason};
}

}  // namespace lockstep::coco
