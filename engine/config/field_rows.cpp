#include "engine/config/field_rows.h"

#include "engine/config/field_values.h"
#include "engine/config/value_text.h"

namespace lockstep::config {
namespace {

/// `parse` gets the field from the finished table, because rows are still changed after they were
/// added.
template <typename Value, typename Parse, typename Write>
void complete(Field& field, Access<Value> access, const Parse& parse, const Write& write) {
  field.text = [get = access.get, write](const Experiment& experiment) {
    return write(get(experiment));
  };
  field.assignNode = [key = field.key, set = std::move(access.set), parse](Experiment& experiment,
                                                                           const YamlNode& node) {
    Value value{};
    ValueError error = parse(*findField(key), node, value);
    if (error.text.empty()) set(experiment, std::move(value));
    return error;
  };
}

template <typename Value, typename Write>
std::string writeList(const std::vector<Value>& values, const Write& write) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + write(value);
  return "[" + text + "]";
}

template <typename Value, typename Parse, typename Write>
void completeListOrWord(Field& field, Access<ListOrWord<Value>> access, const Parse& parse,
                        const Write& write) {
  complete(field, std::move(access), parse, [write](const ListOrWord<Value>& list) {
    if (!list.values.empty()) return writeList(list.values, write);
    return list.word.empty() ? std::string("null") : list.word;
  });
}

std::string writeInteger(std::int64_t value) { return std::to_string(value); }

std::string writeNullableText(const std::string& text) {
  return text.empty() ? "null" : writeText(text);
}

}  // namespace

std::string meaningsText(const std::vector<std::pair<std::string, std::string>>& words) {
  std::string text;
  for (const auto& [word, meaning] : words) {
    if (!meaning.empty()) text += (text.empty() ? " " : "; ") + word + ": " + meaning;
  }
  return text.empty() ? text : text + ".";
}

void completeBool(Field& field, Access<bool> access) {
  complete(
      field, std::move(access),
      [](const Field&, const YamlNode& node, bool& value) { return parseBool(node, value); },
      [](bool value) { return std::string(value ? "true" : "false"); });
}

void completeInteger(Field& field, Access<std::int64_t> access) {
  complete(field, std::move(access), parseInteger, writeInteger);
}

void completeIntegerOrAuto(Field& field, Access<std::optional<std::int64_t>> access) {
  complete(field, std::move(access), parseIntegerOrAuto, [](std::optional<std::int64_t> value) {
    return value ? std::to_string(*value) : std::string("auto");
  });
}

void completeNumber(Field& field, Access<double> access) {
  complete(field, std::move(access), parseNumber, writeNumber);
}

void completeOptionalNumber(Field& field, Access<std::optional<double>> access) {
  complete(field, std::move(access), parseOptionalNumber, [](std::optional<double> value) {
    return value ? writeNumber(*value) : std::string("null");
  });
}

void completeText(Field& field, Access<std::string> access) {
  if (field.type == FieldType::Choice) {
    complete(field, std::move(access), parseChoice, writeNullableText);
  } else {
    complete(field, std::move(access), parseText, writeNullableText);
  }
}

void completeDuration(Field& field, Access<Duration> access) {
  complete(field, std::move(access), parseDuration, writeDuration);
}

void completeBytes(Field& field, Access<std::int64_t> access) {
  complete(field, std::move(access), parseBytes, writeBytes);
}

void completeIntegers(Field& field, Access<std::vector<std::int64_t>> access) {
  complete(field, std::move(access), parseIntegers,
           [](const std::vector<std::int64_t>& values) { return writeList(values, writeInteger); });
}

void completeNumbers(Field& field, Access<std::vector<double>> access) {
  complete(field, std::move(access), parseNumbers,
           [](const std::vector<double>& values) { return writeList(values, writeNumber); });
}

void completeDurations(Field& field, Access<std::vector<Duration>> access) {
  complete(field, std::move(access), parseDurations,
           [](const std::vector<Duration>& values) { return writeList(values, writeDuration); });
}

void completeTexts(Field& field, Access<std::vector<std::string>> access) {
  complete(field, std::move(access), parseTexts,
           [](const std::vector<std::string>& values) { return writeList(values, writeText); });
}

void completeIntegersOrWord(Field& field, Access<ListOrWord<int>> access) {
  completeListOrWord(field, std::move(access), parseIntegersOrWord, writeInteger);
}

void completeNumbersOrWord(Field& field, Access<ListOrWord<double>> access) {
  completeListOrWord(field, std::move(access), parseNumbersOrWord, writeNumber);
}

void completeLevelsOrWord(Field& field, Access<ListOrWord<Level>> access) {
  completeListOrWord(field, std::move(access), parseLevelsOrWord, writeLevel);
}

}  // namespace lockstep::config
