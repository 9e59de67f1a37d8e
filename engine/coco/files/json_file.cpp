#include "engine/coco/files/json_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kMaxReasonLength = 160;
constexpr const char* kRemedy = "; correct it there, or export the file again";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Finds the position of a syntax error: simdjson does not report it, so an invalid text is parsed
/// again with nlohmann::json.
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
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    byte = position;
    reason = error.what();
    return false;
  }

  std::size_t byte = 0;  ///< 1-based; 0: nothing found
  std::string reason;
};

/// The reason in nlohmann's message, reduced to printable ASCII because it quotes the file.
std::string shortReason(const std::string& message) {
  const std::size_t start = message.rfind(" - ");
  std::string reason = start == std::string::npos ? message : message.substr(start + 3);
  std::replace_if(
      reason.begin(), reason.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  if (reason.size() > kMaxReasonLength) reason = reason.substr(0, kMaxReasonLength) + "…";
  return reason;
}

}  // namespace

JsonFile JsonFile::load(const std::filesystem::path& file, const char* what) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw UserError(file.string() + ": no such " + what);
  }
  if (std::filesystem::is_directory(file, ignored)) {
    throw UserError(file.string() + ": is a folder; name the " + what + " in it");
  }
  return JsonFile(base::FileText::map(file), file.string());
}

JsonFile::JsonFile(base::FileText content, std::string name)
    : text_(std::move(content)), name_(std::move(name)) {}

std::string_view JsonFile::content() const {
  return text().substr(text().starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

void JsonFile::throwIfChanged() const {
  if (text_.hasChanged()) throw Error(name_ + ": changed while it was read; try again");
}

void JsonFile::throwBroken(simdjson::error_code code) const {
  throwIfChanged();
  if (content().find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(name_ + ": the file is empty; it must hold COCO JSON: export it again");
  }
  if (code == simdjson::DEPTH_ERROR) {
    throw Error(name_ + ": JSON is nested deeper than " + std::to_string(kMaxJsonDepth) +
                " levels; this is not a COCO file");
  }
  if (code == simdjson::MEMALLOC) throw Error(name_ + ": not enough memory to read it");
  ErrorFinder finder;
  nlohmann::json::sax_parse(text(), &finder);
  if (finder.byte == 0) {
    throw Error(name_ + ": invalid JSON: " + simdjson::error_message(code) + kRemedy);
  }
  const std::size_t end = std::min(finder.byte - 1, text().size());
  const auto line =
      1 + std::count(text().begin(), text().begin() + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t lineEnd = end == 0 ? std::string::npos : text().rfind('\n', end - 1);
  const std::size_t column = lineEnd == std::string::npos ? end + 1 : end - lineEnd;
  throw Error(name_ + ":" + std::to_string(line) + ":" + std::to_string(column) +
              ": invalid JSON at byte " + std::to_string(finder.byte) + ": " +
              shortReason(finder.reason) + kRemedy);
}

}  // namespace lockstep::coco
