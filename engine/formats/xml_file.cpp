#include "engine/formats/xml_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace lockstep::formats {

pugi::xml_document readXml(const std::filesystem::path& file) {
  const std::string text = base::readFile(file);
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
  if (result) return document;
  const auto offset = std::min(static_cast<std::size_t>(result.offset), text.size());
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  throw Error(file.string() + ":" + std::to_string(line) +
              ": invalid XML: " + result.description());
}

double parseNumber(std::string_view text) {
  const auto isBlank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  double number = 0;
  const auto [after, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || after != text.data() + text.size() || !std::isfinite(number))
    throw Error("'" + std::string(text) + "' is not a number");
  return number;
}

double numberIn(const pugi::xml_node& node, const char* attribute) {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) throw Error(std::string("has no ") + attribute);
  return parseNumber(found.value());
}

double numberInChild(const pugi::xml_node& node, const char* child) {
  const pugi::xml_node found = node.child(child);
  if (!found) throw Error(std::string("has no <") + child + ">");
  return parseNumber(found.child_value());
}

}  // namespace lockstep::formats
