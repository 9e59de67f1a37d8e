#include "engine/formats/xml_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/text_encoding.h"
#include "engine/base/utf8.h"

namespace lockstep::formats {
namespace {

/// `GBK` for `<?xml version="1.0" encoding="GBK"?>`; empty: none is declared.
std::string declaredEncoding(std::string_view text) {
  constexpr std::string_view kStart = "<?xml", kEnd = "?>", kName = "encoding";
  if (!text.starts_with(kStart)) return {};
  text = text.substr(0, text.find(kEnd));
  const std::size_t name = text.find(kName);
  if (name == std::string_view::npos) return {};
  const std::size_t begin = text.find_first_of("\"'", name);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = text.find(text[begin], begin + 1);
  const std::string encoding(text.substr(begin + 1, end - begin - 1));
  const bool isName = std::ranges::all_of(encoding, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
  return isName ? encoding : "";
}

/// The text of a file in its declared encoding. A declared Unicode encoding does not count:
/// programs declare UTF-16 and save UTF-8.
std::string readXmlText(const std::filesystem::path& file) {
  std::string text = base::readUnicode(file);
  const std::string problem = base::utf8Problem(text);
  const std::string declared = declaredEncoding(text);
  const std::string name = base::lowerCase(declared);
  const bool isUnicode =
      name.empty() ||
      std::ranges::any_of(std::array{"utf", "ucs", "unicode", "iso-10646"},
                          [&](const char* start) { return name.starts_with(start); });
  if (isUnicode && problem.empty()) return text;
  if (isUnicode) {
    throw Error(file.string() + ": " + problem + ", and no other encoding is declared: save the " +
                "file as UTF-8, or declare its encoding");
  }
  try {
    return base::toUtf8(text, declared);
  } catch (const Error& error) {
    throw Error(file.string() + ": " + error.what());
  }
}

}  // namespace

pugi::xml_document readXml(const std::filesystem::path& file) {
  const std::string text = readXmlText(file);
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
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
