#include "engine/coco/files/json_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kMaxReasonLength = 160;
constexpr const char* kRemedy = "; correct it there, or export the file again";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Finds where a text stops being JSON: simdjson is quick but does not say, so a broken text is
/// read again by this.
struct FaultFinder : nlohmann::json_sax<nlohmann::json> {
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
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    byte = position;
    reason = error.what();
    return false;
  }

  std::size_t byte = 0;  ///< 1-based; 0: nothing found
  std::string reason;
};

/// The part of nlohmann's message that says what is wrong, in printable ASCII: it quotes the file.
std::string shortReason(const std::string& message) {
  const std::size_t start = message.rfind(" - ");
  std::string reason = start == std::string::npos ? message : message.substr(start + 3);
  std::replace_if(
      reason.begin(), reason.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  if (reason.size() > kMaxReasonLength) reason = reason.substr(0, kMaxReasonLength) + "…";
  return reason;
}

[[noreturn]] void throwBroken(std::string_view text, const std::string& name,
                              simdjson::error_code code) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(name + ": the file is empty; it should hold COCO JSON: export it again");
  }
  if (code == simdjson::DEPTH_ERROR) {
    throw Error(name + ": JSON nested deeper than " + std::to_string(simdjson::DEFAULT_MAX_DEPTH) +
                " levels; this is no COCO file");
  }
  if (code == simdjson::CAPACITY) throw Error(name + ": larger than 4 GiB; split the data set");
  if (code == simdjson::MEMALLOC) throw Error(name + ": not enough memory to read it");
  FaultFinder finder;
  nlohmann::json::sax_parse(text, &finder);
  if (finder.byte == 0) {
    throw Error(name + ": broken JSON: " + simdjson::error_message(code) + kRemedy);
  }
  const std::size_t end = std::min(finder.byte - 1, text.size());
  const auto begin = text.begin();
  const auto line = 1 + std::count(begin, begin + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t lineEnd = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const std::size_t column = lineEnd == std::string::npos ? end + 1 : end - lineEnd;
  throw Error(name + ":" + std::to_string(line) + ":" + std::to_string(column) +
              ": broken JSON at byte " + std::to_string(finder.byte) + ": " +
              shortReason(finder.reason) + kRemedy);
}

}  // namespace

simdjson::padded_string JsonDocument::read(const std::filesystem::path& file, const char* what) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw base::mendable(file.string() + ": there is no such " + what);
  }
  if (std::filesystem::is_directory(file, ignored)) {
    throw base::mendable(file.string() + ": is a folder; name the " + what + " in it");
  }
  auto text = simdjson::padded_string::load(file.string());
  if (text.error() == simdjson::SUCCESS) return std::move(text).value_unsafe();
  return simdjson::padded_string(base::readFile(file));  // says why it cannot be read
}

JsonDocument::JsonDocument(simdjson::padded_string text, const std::string& name)
    : text_(std::move(text)) {
  const std::string_view view(text_.data(), text_.size());
  const std::size_t skipped = view.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const auto result = parser_.parse(text_.data() + skipped, text_.size() - skipped, false);
  if (result.error() != simdjson::SUCCESS) throwBroken(view, name, result.error());
  root_ = result.value_unsafe();
}

const char* kindOf(simdjson::dom::element element) {
  using simdjson::dom::element_type;
  switch (element.type()) {
    case element_type::ARRAY:
      return "an array";
    case element_type::OBJECT:
      return "an object";
    case element_type::INT64:
    case element_type::UINT64:
    case element_type::DOUBLE:
      return "a number";
    case element_type::STRING:
      return "a string";
    case element_type::BOOL:
      return "true or false";
    case element_type::NULL_VALUE:
      return "null";
  }
  return "something else";
}

}  // namespace lockstep::coco
