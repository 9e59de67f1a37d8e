#include "engine/config/field_values.h"

#include <algorithm>
#include <functional>

#include "engine/config/value_text.h"

namespace lockstep::config {
namespace {

ValueFault fault(std::string text, std::string proposal = {}) {
  if (!proposal.empty()) text += "; did you mean " + proposal + "?";
  return {std::move(text), std::move(proposal)};
}

/// A scalar as the user wrote it, cut when it is long.
std::string shown(const YamlNode& node) {
  const std::string text = shortened(node.text);
  return node.isQuoted ? "\"" + text + "\"" : text;
}

/// The fault of a node that is no plain scalar, or nothing. wanted: "a number, such as 0.02".
std::optional<ValueFault> notPlain(const YamlNode& node, const std::string& wanted,
                                   const std::function<bool(const std::string&)>& fits) {
  if (node.kind != YamlNode::Kind::Scalar) {
    return fault(describeKind(node) + "; " + wanted + " is wanted");
  }
  if (!node.isQuoted) return std::nullopt;
  return fault(shown(node) + " is a text in quotes; " + wanted + " is wanted",
               fits(node.text) ? node.text : std::string());
}

/// "" or the fault of a number outside the field's range.
ValueFault checkRange(const Field& field, double value, const std::string& given) {
  const bool isLow = field.minimumExcluded ? value <= field.minimum : value < field.minimum;
  const bool isHigh = field.maximumExcluded ? value >= field.maximum : value > field.maximum;
  if (!isLow && !isHigh) return {};
  if (field.rangeText().empty() || (isHigh && value > 2147483647.0)) {
    return {given + " is too large", {}};
  }
  const bool isOpenEnded = field.rangeText().find("…") == std::string::npos;
  return {given + (isOpenEnded ? " is not " : " is not in ") + field.rangeText(), {}};
}

/// A list that shows how values of the field are written: its default where that says it.
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

std::string wantedList(const Field& field) {
  std::string text = "a list";
  if (field.listSize >= 0) text += " of " + std::to_string(field.listSize);
  text += ", such as " + exampleList(field);
  for (const std::string& choice : field.choices) text += ", or " + choice;
  return text + (field.nullable ? ", or null" : "");
}

template <typename Value, typename Take>
ValueFault takeList(const Field& field, const YamlNode& node, std::vector<Value>& values,
                    const Take& take);

/// `[100, 200]` for what was written without brackets, "" when that is no list either.
template <typename Value, typename Take>
std::string listInBrackets(const Field& field, const YamlNode& node, const Take& take, Value) {
  std::string list = "[" + node.text + "]";
  std::vector<Value> values;
  try {
    const YamlNode inBrackets = parseYamlValue(list);
    const bool isList = inBrackets.kind == YamlNode::Kind::List;
    return isList && takeList(field, inBrackets, values, take).text.empty() ? list : std::string();
  } catch (const YamlFault&) {
    return {};
  }
}

template <typename Value, typename Take>
ValueFault takeList(const Field& field, const YamlNode& node, std::vector<Value>& values,
                    const Take& take) {
  const std::string wanted = wantedList(field);
  if (node.kind == YamlNode::Kind::Scalar) {
    return fault(shown(node) + " is no list; " + wanted + " is wanted",
                 listInBrackets(field, node, take, Value()));
  }
  if (node.kind != YamlNode::Kind::List) {
    return fault(describeKind(node) + "; " + wanted + " is wanted");
  }
  if (field.listSize >= 0 && node.items.size() != static_cast<std::size_t>(field.listSize)) {
    return fault("has " + std::to_string(node.items.size()) + " values; " +
                 std::to_string(field.listSize) + " are wanted");
  }
  if (node.items.empty() && !field.mayBeEmpty)
    return fault("is an empty list; give one value or more");
  std::vector<Value> taken(node.items.size());
  for (std::size_t index = 0; index < taken.size(); ++index) {
    ValueFault found = take(field, node.items[index], taken[index]);
    if (found.text.empty()) continue;
    return {"value " + std::to_string(index + 1) + ": " + found.text, {}};
  }
  values = std::move(taken);
  return {};
}

/// The field's word that `node` is in the place of a list ("": null), or nothing.
std::optional<std::string> wordOf(const Field& field, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::Null && field.nullable) return std::string();
  const bool isWord =
      node.kind == YamlNode::Kind::Scalar &&
      std::find(field.choices.begin(), field.choices.end(), node.text) != field.choices.end();
  return isWord ? std::optional<std::string>(node.text) : std::nullopt;
}

template <typename Value, typename Take>
ValueFault takeListOrWord(const Field& field, const YamlNode& node, ListOrWord<Value>& list,
                          const Take& take) {
  if (std::optional<std::string> word = wordOf(field, node)) {
    list = {{}, std::move(*word)};
    return {};
  }
  std::vector<Value> values;
  ValueFault found = takeList(field, node, values, take);
  if (found.text.empty()) list = {std::move(values), {}};
  return found;
}

ValueFault takeInt(const Field& field, const YamlNode& node, int& value) {
  std::int64_t number = 0;
  ValueFault found = takeInteger(field, node, number);
  if (found.text.empty()) value = static_cast<int>(number);
  return found;
}

ValueFault takeLevel(const Field& field, const YamlNode& node, Level& value) {
  const auto fits = [](const std::string& text) { return readLevel(text).has_value(); };
  const std::string wanted = "a value such as 4095 or a percentile such as 1 %";
  const bool isPercentile = node.text.ends_with('%');  // with or without quotes
  if (auto found = notPlain(node, wanted, fits); found && !isPercentile) return *found;
  const std::optional<Level> read = readLevel(node.text);
  if (!read) return fault(shown(node) + " is not " + wanted, probableNumber(node.text));
  if (read->isPercentile && (read->value < 0 || read->value > 100)) {
    return fault(shown(node) + " is not in 0 … 100 %");
  }
  ValueFault found = checkRange(field, read->value, shown(node));
  if (found.text.empty()) value = *read;
  return found;
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

ValueFault takeBool(const YamlNode& node, bool& value) {
  const auto fits = [](const std::string& text) { return text == "true" || text == "false"; };
  if (auto found = notPlain(node, "true or false", fits)) return *found;
  if (!fits(node.text)) {
    static const std::vector<std::string> kYes{"True", "TRUE", "yes", "Yes", "on", "On", "1", "y"};
    static const std::vector<std::string> kNo{"False", "FALSE", "no", "No", "off", "Off", "0", "n"};
    const auto isIn = [&](const std::vector<std::string>& words) {
      for (const std::string& word : words) {
        if (word == node.text) return true;
      }
      return false;
    };
    return fault(shown(node) + " is not true or false", isIn(kYes)  ? "true"
                                                        : isIn(kNo) ? "false"
                                                                    : "");
  }
  value = node.text == "true";
  return {};
}

ValueFault takeInteger(const Field& field, const YamlNode& node, std::int64_t& value) {
  const auto fits = [](const std::string& text) { return readInteger(text).has_value(); };
  if (auto found = notPlain(node, "a whole number", fits)) return *found;
  const std::optional<std::int64_t> read = readInteger(node.text);
  if (!read) {
    const std::optional<double> number = readNumber(node.text);
    if (number && (*number > 9e15 || *number < -9e15)) return fault(shown(node) + " is too large");
    std::string proposal = probableNumber(node.text);
    if (proposal.ends_with(".0")) proposal.resize(proposal.size() - 2);
    return fault(shown(node) + " is not a whole number",
                 readInteger(proposal) ? proposal : std::string());
  }
  ValueFault found = checkRange(field, static_cast<double>(*read), shown(node));
  if (found.text.empty()) value = *read;
  return found;
}

ValueFault takeIntegerOrAuto(const Field& field, const YamlNode& node,
                             std::optional<std::int64_t>& value) {
  if (node.kind == YamlNode::Kind::Scalar && node.text == field.choices.front()) {
    value.reset();
    return {};
  }
  std::int64_t number = 0;
  ValueFault found = takeInteger(field, node, number);
  if (found.text.empty()) {
    value = number;
  } else if (found.proposal.empty()) {
    found.text += ", nor the word " + field.choices.front();
  }
  return found;
}

ValueFault takeNumber(const Field& field, const YamlNode& node, double& value) {
  const auto fits = [](const std::string& text) { return readNumber(text).has_value(); };
  if (auto found = notPlain(node, "a number", fits)) return *found;
  const std::optional<double> read = readNumber(node.text);
  if (!read) return fault(shown(node) + " is not a finite number", probableNumber(node.text));
  ValueFault found = checkRange(field, *read, shown(node));
  if (found.text.empty()) value = *read;
  return found;
}

ValueFault takeOptionalNumber(const Field& field, const YamlNode& node,
                              std::optional<double>& value) {
  if (node.kind == YamlNode::Kind::Null && field.nullable) {
    value.reset();
    return {};
  }
  double number = 0;
  ValueFault found = takeNumber(field, node, number);
  if (found.text.empty()) value = number;
  return found;
}

ValueFault takeDuration(const Field& field, const YamlNode& node, Duration& value) {
  const auto fits = [](const std::string& text) { return readDuration(text).has_value(); };
  const std::string wanted = "a length such as 200 (steps), 12 epochs or 20000 images";
  if (auto found = notPlain(node, wanted, fits)) return *found;
  const std::optional<Duration> read = readDuration(node.text);
  if (!read) {
    const std::string proposal = probableNumber(node.text);
    return fault(shown(node) + " is not " + wanted, readDuration(proposal) ? proposal : "");
  }
  ValueFault found = checkRange(field, read->count, shown(node));
  if (found.text.empty()) value = *read;
  return found;
}

ValueFault takeBytes(const Field& field, const YamlNode& node, std::int64_t& value) {
  const auto fits = [](const std::string& text) { return readBytes(text).has_value(); };
  const std::string wanted = "a size such as 4 GiB or 512 MiB";
  if (auto found = notPlain(node, wanted, fits)) return *found;
  const std::optional<std::int64_t> read = readBytes(node.text);
  if (!read) {
    std::string proposal = node.text;
    if (const std::size_t unit = proposal.find_last_of("kKmMgGtT"); unit != std::string::npos) {
      const char prefix = static_cast<char>(proposal[unit] & ~0x20);
      proposal = std::string(trimmed(proposal.substr(0, unit))) + " " + prefix + "iB";
    }
    return fault(shown(node) + " is not " + wanted, readBytes(proposal) ? proposal : "");
  }
  ValueFault found = checkRange(field, static_cast<double>(*read), shown(node));
  if (found.text.empty()) value = *read;
  return found;
}

ValueFault takeText(const Field& field, const YamlNode& node, std::string& value) {
  const std::string wanted = field.type == FieldType::Path ? "a path" : "a text";
  if (node.kind == YamlNode::Kind::Null && field.nullable) {
    value.clear();
    return {};
  }
  if (node.kind != YamlNode::Kind::Scalar) {
    return fault(describeKind(node) + "; " + wanted + " is wanted");
  }
  if (node.text.empty()) {
    return fault("is empty; " + wanted + (field.nullable ? " or null is wanted" : " is wanted"));
  }
  for (const char character : node.text) {
    if (static_cast<unsigned char>(character) < 0x20) {
      return fault("holds a line break or another control character; " + wanted +
                   " of one line is wanted");
    }
  }
  value = node.text;
  return {};
}

ValueFault takeChoice(const Field& field, const YamlNode& node, std::string& value) {
  std::string list;
  for (const std::string& choice : field.choices) list += (list.empty() ? "" : ", ") + choice;
  if (node.kind == YamlNode::Kind::Null && field.nullable) {
    value.clear();
    return {};
  }
  if (node.kind != YamlNode::Kind::Scalar) {
    return fault(describeKind(node) + "; one of " + list + " is wanted");
  }
  for (const std::string& choice : field.choices) {
    if (choice != node.text) continue;
    value = choice;
    return {};
  }
  return fault(shown(node) + " is not one of " + list, nearestWord(node.text, field.choices));
}

ValueFault takeIntegers(const Field& field, const YamlNode& node,
                        std::vector<std::int64_t>& values) {
  return takeList(field, node, values, takeInteger);
}

ValueFault takeNumbers(const Field& field, const YamlNode& node, std::vector<double>& values) {
  return takeList(field, node, values, takeNumber);
}

ValueFault takeDurations(const Field& field, const YamlNode& node, std::vector<Duration>& values) {
  return takeList(field, node, values, takeDuration);
}

ValueFault takeTexts(const Field& field, const YamlNode& node, std::vector<std::string>& values) {
  return takeList(field, node, values, takeText);
}

ValueFault takeIntegersOrWord(const Field& field, const YamlNode& node, ListOrWord<int>& list) {
  return takeListOrWord(field, node, list, takeInt);
}

ValueFault takeNumbersOrWord(const Field& field, const YamlNode& node, ListOrWord<double>& list) {
  return takeListOrWord(field, node, list, takeNumber);
}

ValueFault takeLevelsOrWord(const Field& field, const YamlNode& node, ListOrWord<Level>& list) {
  return takeListOrWord(field, node, list, takeLevel);
}

}  // namespace lockstep::config
