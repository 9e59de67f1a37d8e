#include "engine/config/field_values.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "engine/base/number_text.h"
#include "engine/base/pattern.h"
#include "engine/config/value_text.h"

namespace lockstep::config {
namespace {

/// One for each class is the longest that is of use.
constexpr std::size_t kMaxListSize = 10'000;

ValueError makeError(std::string text, std::string suggestion = {}) {
  if (!suggestion.empty()) text += "; did you mean " + suggestion + "?";
  return {std::move(text), std::move(suggestion)};
}

/// Whether the text is a number that is not finite: inf, nan, YAML's .inf and .nan, 1e999.
bool isNonFiniteNumber(std::string text) {
  const std::size_t dot = text.find('.');
  if (dot != std::string::npos && dot + 1 < text.size() &&
      std::isalpha(static_cast<unsigned char>(text[dot + 1])) != 0) {
    text.erase(dot, 1);
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0' && !std::isfinite(value);
}

/// A scalar as the user wrote it, shortened when long.
std::string shown(const YamlNode& node) {
  const std::string text = shortened(node.text);
  return node.isQuoted ? "\"" + text + "\"" : text;
}

/// The error of a node that is not a plain scalar, or nothing. expected: "a number", … for the
/// message; fits: whether a quoted string would be valid without its quotes.
std::optional<ValueError> checkPlain(const YamlNode& node, const std::string& expected,
                                     const std::function<bool(const std::string&)>& fits) {
  if (node.kind != YamlNode::Kind::Scalar) {
    return makeError(describeKind(node) + "; expected " + expected);
  }
  if (!node.isQuoted) return std::nullopt;
  return makeError(shown(node) + " is a quoted string; expected " + expected,
                   fits(node.text) ? node.text : std::string());
}

/// "" or the error of a number outside the field's range.
ValueError checkRange(const Field& field, double value, const std::string& given) {
  const bool isLow = field.minimumExcluded ? value <= field.minimum : value < field.minimum;
  const bool isHigh = field.maximumExcluded ? value >= field.maximum : value > field.maximum;
  if (!isLow && !isHigh) return {};
  if (field.rangeText().empty() || (isHigh && value > 2147483647.0)) {
    return {given + " is too large", {}};
  }
  const bool isOpenEnded = field.rangeText().find("…") == std::string::npos;
  return {given + (isOpenEnded ? ": must be " : " is not in ") + field.rangeText(), {}};
}

/// A valid list for messages: the default, or an example where the default is not a list.
std::string exampleList(const Field& field) {
  const std::string byDefault = field.defaultText();
  if (byDefault.starts_with('[') && byDefault != "[]") return byDefault;
  switch (field.type) {
    case FieldType::LevelList:
      return "[1 %, 99 %]";
    case FieldType::TextList:
      return "[rpn, mask_head]";
    case FieldType::NumberList:
      return "[0.5, 1]";
    default:
      return "[0, 1]";
  }
}

std::string expectedList(const Field& field) {
  std::string text = "a list";
  if (field.listSize >= 0) text += " of " + std::to_string(field.listSize);
  text += ", such as " + exampleList(field);
  for (const std::string& choice : field.choices) text += ", or " + choice;
  return text + (field.nullable ? ", or null" : "");
}

template <typename Value, typename Parse>
ValueError parseList(const Field& field, const YamlNode& node, std::vector<Value>& values,
                     const Parse& parse);

/// The list that was probably meant (`[100, 200]` for `100, 200`), or "".
template <typename Value, typename Parse>
std::string listInBrackets(const Field& field, const YamlNode& node, const Parse& parse, Value) {
  std::string list = "[" + node.text + "]";
  std::vector<Value> values;
  try {
    const YamlNode inBrackets = parseYamlValue(list);
    const bool isList = inBrackets.kind == YamlNode::Kind::List;
    return isList && parseList(field, inBrackets, values, parse).text.empty() ? list
                                                                              : std::string();
  } catch (const YamlError&) {
    return {};
  }
}

template <typename Value, typename Parse>
ValueError parseList(const Field& field, const YamlNode& node, std::vector<Value>& values,
                     const Parse& parse) {
  const std::string expected = expectedList(field);
  if (node.kind == YamlNode::Kind::Scalar) {
    return makeError(shown(node) + " is not a list; expected " + expected,
                     listInBrackets(field, node, parse, Value()));
  }
  if (node.kind != YamlNode::Kind::List) {
    return makeError(describeKind(node) + "; expected " + expected);
  }
  if (field.listSize >= 0 && node.items.size() != static_cast<std::size_t>(field.listSize)) {
    return makeError("has " + base::counted(node.items.size(), "value") + "; expected " +
                     std::to_string(field.listSize));
  }
  if (node.items.size() > kMaxListSize) {
    return makeError("has " + base::counted(node.items.size(), "value") + "; at most " +
                     std::to_string(kMaxListSize) + " are supported");
  }
  if (node.items.empty() && !field.mayBeEmpty)
    return makeError("is an empty list; give one value or more");
  std::vector<Value> parsed(node.items.size());
  for (std::size_t index = 0; index < parsed.size(); ++index) {
    ValueError error = parse(field, node.items[index], parsed[index]);
    if (error.text.empty()) continue;
    return {"value " + std::to_string(index + 1) + ": " + error.text, {}};
  }
  values = std::move(parsed);
  return {};
}

/// The word that `node` holds in place of a list ("": null), or nothing.
std::optional<std::string> wordOf(const Field& field, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::Null && field.nullable) return std::string();
  const bool isWord =
      node.kind == YamlNode::Kind::Scalar &&
      std::find(field.choices.begin(), field.choices.end(), node.text) != field.choices.end();
  return isWord ? std::optional<std::string>(node.text) : std::nullopt;
}

template <typename Value, typename Parse>
ValueError parseListOrWord(const Field& field, const YamlNode& node, ListOrWord<Value>& list,
                           const Parse& parse) {
  if (std::optional<std::string> word = wordOf(field, node)) {
    list = {{}, std::move(*word)};
    return {};
  }
  std::vector<Value> values;
  ValueError error = parseList(field, node, values, parse);
  if (error.text.empty()) list = {std::move(values), {}};
  return error;
}

ValueError parseInt(const Field& field, const YamlNode& node, int& value) {
  std::int64_t number = 0;
  ValueError error = parseInteger(field, node, number);
  if (error.text.empty()) value = static_cast<int>(number);
  return error;
}

ValueError parseLevel(const Field& field, const YamlNode& node, Level& value) {
  const auto fits = [](const std::string& text) { return readLevel(text).has_value(); };
  const std::string expected = "a value such as 4095 or a percentile such as 1 %";
  const bool isPercentile = node.text.ends_with('%');  // with or without quotes
  if (auto error = checkPlain(node, expected, fits); error && !isPercentile) return *error;
  const std::optional<Level> read = readLevel(node.text);
  if (!read) return makeError(shown(node) + " is not " + expected, probableNumber(node.text));
  if (read->isPercentile && (read->value < 0 || read->value > 100)) {
    return makeError(shown(node) + " is not in 0 … 100 %");
  }
  ValueError error = checkRange(field, read->value, shown(node));
  if (error.text.empty()) value = *read;
  return error;
}

}  // namespace

std::string describeKind(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return node.isEmptyNull() ? "has no value" : "is null";
    case YamlNode::Kind::List:
      return "is a list";
    case YamlNode::Kind::Map:
      return "is a section of keys";
    case YamlNode::Kind::Scalar:
      break;
  }
  return "is the value " + shown(node);
}

ValueError parseBool(const YamlNode& node, bool& value) {
  const auto fits = [](const std::string& text) { return text == "true" || text == "false"; };
  if (auto error = checkPlain(node, "a boolean (true or false)", fits)) return *error;
  if (!fits(node.text)) {
    static const std::vector<std::string> kYes{"True", "TRUE", "yes", "Yes", "on", "On", "1", "y"};
    static const std::vector<std::string> kNo{"False", "FALSE", "no", "No", "off", "Off", "0", "n"};
    const auto isIn = [&](const std::vector<std::string>& words) {
      for (const std::string& word : words) {
        if (word == node.text) return true;
      }
      return false;
    };
    if (isIn(kYes)) return makeError(shown(node) + " is not a boolean", "true");
    if (isIn(kNo)) return makeError(shown(node) + " is not a boolean", "false");
    return makeError(shown(node) + " is not a boolean (true or false)");
  }
  value = node.text == "true";
  return {};
}

ValueError parseInteger(const Field& field, const YamlNode& node, std::int64_t& value) {
  const auto fits = [](const std::string& text) { return readInteger(text).has_value(); };
  if (auto error = checkPlain(node, "an integer", fits)) return *error;
  const std::optional<std::int64_t> read = readInteger(node.text);
  if (!read) {
    const std::optional<double> number = readNumber(node.text);
    if (number && (*number > 9e15 || *number < -9e15))
      return makeError(shown(node) + " is too large");
    std::string suggestion = probableNumber(node.text);
    if (suggestion.ends_with(".0")) suggestion.resize(suggestion.size() - 2);
    return makeError(shown(node) + " is not an integer",
                     readInteger(suggestion) ? suggestion : std::string());
  }
  ValueError error = checkRange(field, static_cast<double>(*read), shown(node));
  if (error.text.empty()) value = *read;
  return error;
}

ValueError parseIntegerOrAuto(const Field& field, const YamlNode& node,
                              std::optional<std::int64_t>& value) {
  if (node.kind == YamlNode::Kind::Scalar && node.text == field.choices.front()) {
    value.reset();
    return {};
  }
  std::int64_t number = 0;
  ValueError error = parseInteger(field, node, number);
  if (error.text.empty()) {
    value = number;
  } else if (error.suggestion.empty()) {
    error.text += " or " + field.choices.front();
  }
  return error;
}

ValueError parseNumber(const Field& field, const YamlNode& node, double& value) {
  const auto fits = [](const std::string& text) { return readNumber(text).has_value(); };
  if (auto error = checkPlain(node, "a number", fits)) return *error;
  const std::optional<double> read = readNumber(node.text);
  if (!read) {
    const char* expected =
        isNonFiniteNumber(node.text) ? " is not a finite number" : " is not a number";
    return makeError(shown(node) + expected, probableNumber(node.text));
  }
  ValueError error = checkRange(field, *read, shown(node));
  if (error.text.empty()) value = *read;
  return error;
}

ValueError parseOptionalNumber(const Field& field, const YamlNode& node,
                               std::optional<double>& value) {
  if (node.kind == YamlNode::Kind::Null && field.nullable) {
    value.reset();
    return {};
  }
  double number = 0;
  ValueError error = parseNumber(field, node, number);
  if (error.text.empty()) value = number;
  return error;
}

ValueError parseDuration(const Field& field, const YamlNode& node, Duration& value) {
  const auto fits = [](const std::string& text) { return readDuration(text).has_value(); };
  const std::string expected = "a duration such as 200 (steps), 12 epochs or 20000 images";
  if (auto error = checkPlain(node, expected, fits)) return *error;
  const std::optional<Duration> read = readDuration(node.text);
  if (!read) {
    const std::string suggestion = probableNumber(node.text);
    return makeError(shown(node) + " is not " + expected,
                     readDuration(suggestion) ? suggestion : "");
  }
  ValueError error = checkRange(field, read->count, shown(node));
  if (error.text.empty()) value = *read;
  return error;
}

ValueError parseBytes(const Field& field, const YamlNode& node, std::int64_t& value) {
  const auto fits = [](const std::string& text) { return readBytes(text).has_value(); };
  const std::string expected = "a size such as 4 GiB or 512 MiB";
  if (auto error = checkPlain(node, expected, fits)) return *error;
  const std::optional<std::int64_t> read = readBytes(node.text);
  if (!read) {
    std::string suggestion = node.text;
    if (const std::size_t unit = suggestion.find_last_of("kKmMgGtT"); unit != std::string::npos) {
      const char prefix = static_cast<char>(suggestion[unit] & ~0x20);
      suggestion = std::string(trimmed(suggestion.substr(0, unit))) + " " + prefix + "iB";
    }
    return makeError(shown(node) + " is not " + expected, readBytes(suggestion) ? suggestion : "");
  }
  ValueError error = checkRange(field, static_cast<double>(*read), shown(node));
  if (error.text.empty()) value = *read;
  return error;
}

ValueError parseText(const Field& field, const YamlNode& node, std::string& value) {
  const std::string expected = field.type == FieldType::Path ? "a path" : "a string";
  if (node.kind == YamlNode::Kind::Null && field.nullable) {
    value.clear();
    return {};
  }
  if (node.kind != YamlNode::Kind::Scalar) {
    return makeError(describeKind(node) + "; expected " + expected);
  }
  if (node.text.empty()) {
    return makeError("is empty; expected " + expected + (field.nullable ? " or null" : ""));
  }
  for (const char character : node.text) {
    if (static_cast<unsigned char>(character) < 0x20) {
      return makeError("contains a line break or another control character; expected " + expected +
                       " on one line");
    }
  }
  value = node.text;
  return {};
}

ValueError parseChoice(const Field& field, const YamlNode& node, std::string& value) {
  std::string list;
  for (const std::string& choice : field.choices) list += (list.empty() ? "" : ", ") + choice;
  if (node.kind == YamlNode::Kind::Null && field.nullable) {
    value.clear();
    return {};
  }
  if (node.kind != YamlNode::Kind::Scalar) {
    return makeError(describeKind(node) + "; expected one of " + list);
  }
  for (const std::string& choice : field.choices) {
    if (choice != node.text) continue;
    value = choice;
    return {};
  }
  if (!field.otherChoices.empty() && base::Pattern(field.otherChoices).matches(node.text)) {
    value = node.text;
    return {};
  }
  return makeError(shown(node) + " is not one of " + list, nearestWord(node.text, field.choices));
}

ValueError parseIntegers(const Field& field, const YamlNode& node,
                         std::vector<std::int64_t>& values) {
  return parseList(field, node, values, parseInteger);
}

ValueError parseNumbers(const Field& field, const YamlNode& node, std::vector<double>& values) {
  return parseList(field, node, values, parseNumber);
}

ValueError parseDurations(const Field& field, const YamlNode& node, std::vector<Duration>& values) {
  return parseList(field, node, values, parseDuration);
}

ValueError parseTexts(const Field& field, const YamlNode& node, std::vector<std::string>& values) {
  return parseList(field, node, values, parseText);
}

ValueError parseIntegersOrWord(const Field& field, const YamlNode& node, ListOrWord<int>& list) {
  return parseListOrWord(field, node, list, parseInt);
}

ValueError parseNumbersOrWord(const Field& field, const YamlNode& node, ListOrWord<double>& list) {
  return parseListOrWord(field, node, list, parseNumber);
}

ValueError parseLevelsOrWord(const Field& field, const YamlNode& node, ListOrWord<Level>& list) {
  return parseListOrWord(field, node, list, parseLevel);
}

}  // namespace lockstep::config
