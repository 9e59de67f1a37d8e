#include "engine/config/value_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "engine/base/utf8.h"

namespace lockstep::config {
namespace {

bool isDigit(char character) { return character >= '0' && character <= '9'; }

/// Number of digits at the start.
std::size_t digitsAt(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && isDigit(text[length])) ++length;
  return length;
}

/// Whether `text` is spelled as a plain decimal number: -12, 0.5, .5, 5., 1e-5.
bool isDecimal(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const std::size_t whole = digitsAt(text);
  if (whole > 1 && text[0] == '0') return false;
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    fraction = digitsAt(text);
    text.remove_prefix(fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && digitsAt(text) == text.size();
}

struct NumberAndUnit {
  double number = 0;
  std::string_view unit;
};

/// `12 epochs` -> 12 and "epochs".
std::optional<NumberAndUnit> splitUnit(std::string_view text) {
  text = trimmed(text);
  const std::size_t letter = text.find_last_not_of(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");  // 1e3 ends with a digit
  if (letter == std::string_view::npos) return std::nullopt;
  const std::optional<double> number = readNumber(trimmed(text.substr(0, letter + 1)));
  if (!number) return std::nullopt;
  return NumberAndUnit{*number, text.substr(letter + 1)};
}

constexpr std::array<std::pair<std::string_view, int>, 5> kByteUnits{
    {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"B", 0}}};

/// Whether a YAML 1.1 or 1.2 parser could read the plain text as anything but a string.
bool looksLikeAnotherType(const std::string& text) {
  static constexpr std::array<std::string_view, 12> kWords{
      "null", "~", "true", "false", "yes", "no", "on", "off", ".inf", "-.inf", ".nan", "<<"};
  const std::string lower = base::lowerCase(text);
  if (std::find(kWords.begin(), kWords.end(), lower) != kWords.end()) return true;
  return isDigit(text[0]) ||
         (text.size() > 1 && std::string_view("+-.").find(text[0]) != std::string_view::npos &&
          isDigit(text[1]));
}

bool isPlainSafe(const std::string& text) {
  if (text.empty() || trimmed(text).size() != text.size()) return false;
  // "-", "?" and ":" may begin a plain scalar only before another character.
  if (std::string_view("!&*|>'\"%@`#?:").find(text[0]) != std::string_view::npos) return false;
  if (text == "-" || text.starts_with("- ") || text.starts_with("---") || text.starts_with("...")) {
    return false;
  }
  if (text.find_first_of(",[]{}") != std::string::npos) return false;
  if (text.find(": ") != std::string::npos || text.find(" #") != std::string::npos) return false;
  return text.back() != ':' && !looksLikeAnotherType(text);
}

bool hasControlCharacter(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char character) {
    return static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
  });
}

std::string doubleQuoted(const std::string& text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      quoted += '\\';
      quoted += character;
    } else if (character == '\n') {
      quoted += "\\n";
    } else if (character == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\x";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 15];
    } else {
      quoted += character;
    }
  }
  return quoted + '"';
}

}  // namespace

std::vector<std::string> splitKey(std::string_view key) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t dot = key.find('.');
    names.emplace_back(key.substr(0, dot));
    if (dot == std::string_view::npos) return names;
    key.remove_prefix(dot + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<double> readNumber(std::string_view text) {
  if (!isDecimal(text)) return std::nullopt;
  if (text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Underflow is 0; overflow is not a number.
    return text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos
               ? std::optional<double>(0)
               : std::nullopt;
  }
  return error == std::errc() ? std::optional<double>(value) : std::nullopt;
}

std::optional<std::int64_t> readInteger(std::string_view text) {
  if (!isDecimal(text)) return std::nullopt;
  if (text[0] == '+') text.remove_prefix(1);
  if (text.find_first_of(".eE") == std::string_view::npos) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size()
               ? std::optional<std::int64_t>(value)
               : std::nullopt;
  }
  if (text.find_first_of("eE") == std::string_view::npos) return std::nullopt;  // 1.0 is no count
  const std::optional<double> value = readNumber(text);
  if (!value || *value != std::floor(*value) || std::abs(*value) > 0x1p53) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<Duration> readDuration(std::string_view text) {
  const std::optional<NumberAndUnit> read = splitUnit(text);
  if (!read || std::abs(read->number) > 0x1p53) return std::nullopt;
  const bool isWhole = read->number == std::floor(read->number);
  if (read->unit == "epochs" || read->unit == "epoch") {
    return Duration{read->number, Duration::Unit::Epochs};
  }
  if (!isWhole) return std::nullopt;
  if (read->unit == "images" || read->unit == "image") {
    return Duration{read->number, Duration::Unit::Images};
  }
  if (read->unit.empty() || read->unit == "steps" || read->unit == "step") {
    return Duration{read->number, Duration::Unit::Steps};
  }
  return std::nullopt;
}

std::optional<std::int64_t> readBytes(std::string_view text) {
  const std::optional<NumberAndUnit> read = splitUnit(text);
  if (!read) return std::nullopt;
  for (const auto& [name, shift] : kByteUnits) {
    if (read->unit != name && !(read->unit.empty() && shift == 0)) continue;
    const double bytes = std::ldexp(read->number, shift);
    if (std::abs(bytes) > 0x1p53) return std::nullopt;
    if (shift == 0 && bytes != std::floor(bytes)) return std::nullopt;
    return static_cast<std::int64_t>(std::llround(bytes));
  }
  return std::nullopt;
}

std::optional<Level> readLevel(std::string_view text) {
  const bool isPercentile = text.ends_with('%');
  if (isPercentile) text = trimmed(text.substr(0, text.size() - 1));
  const std::optional<double> value = readNumber(text);
  if (!value) return std::nullopt;
  return Level{*value, isPercentile};
}

std::string writeNumber(double value) {
  if (value == 0) return "0";
  std::array<char, 64> buffer{};
  char* const begin = buffer.data();
  char* const end = begin + buffer.size();
  const double size = std::abs(value);
  if (size >= 1e-4 && size < 1e15) {
    return {begin, std::to_chars(begin, end, value, std::chars_format::fixed).ptr};
  }
  std::string text(begin, std::to_chars(begin, end, value, std::chars_format::scientific).ptr);
  const std::size_t exponent = text.find('e');
  if (text[exponent + 2] == '0') text.erase(exponent + 2, 1);  // e-05
  if (text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string writeDuration(const Duration& duration) {
  const bool isWhole = duration.count == std::floor(duration.count);
  const std::string count = isWhole ? std::to_string(static_cast<std::int64_t>(duration.count))
                                    : writeNumber(duration.count);
  if (duration.unit == Duration::Unit::Steps) return count;
  const std::string unit = duration.unit == Duration::Unit::Epochs ? " epoch" : " image";
  return count + unit + (duration.count == 1 ? "" : "s");
}

std::string writeNumbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + writeNumber(value);
  return "[" + text + "]";
}

std::string writeLevel(const Level& level) {
  return writeNumber(level.value) + (level.isPercentile ? " %" : "");
}

std::string writeBytes(std::int64_t bytes) {
  for (const auto& [name, shift] : kByteUnits) {
    const std::int64_t unit = std::int64_t{1} << shift;
    if (bytes != 0 && shift != 0 && bytes % unit == 0) {
      return std::to_string(bytes / unit) + " " + std::string(name);
    }
  }
  return std::to_string(bytes);
}

std::string writeText(const std::string& text) {
  if (isPlainSafe(text) && !hasControlCharacter(text)) return text;
  if (hasControlCharacter(text)) return doubleQuoted(text);
  std::string quoted = "'";
  for (const char character : text) quoted += character == '\'' ? "''" : std::string(1, character);
  return quoted + "'";
}

std::string probableNumber(std::string_view text) {
  std::string cleaned;
  const std::string_view given = trimmed(text);
  const std::size_t commas = static_cast<std::size_t>(std::count(given.begin(), given.end(), ','));
  const std::size_t lastComma = given.rfind(',');
  // 90,000 groups thousands; 1,5 is a decimal comma.
  const bool isDecimalComma = commas == 1 && given.size() - lastComma != 4;
  for (const char character : given) {
    if (character == '_' || (character == ',' && !isDecimalComma)) continue;
    cleaned += character == ',' ? '.' : character;
  }
  const std::size_t sign = !cleaned.empty() && (cleaned[0] == '-' || cleaned[0] == '+') ? 1 : 0;
  while (cleaned.size() > sign + 1 && cleaned[sign] == '0' && isDigit(cleaned[sign + 1])) {
    cleaned.erase(sign, 1);
  }
  return readNumber(cleaned) ? cleaned : std::string();
}

}  // namespace lockstep::config
