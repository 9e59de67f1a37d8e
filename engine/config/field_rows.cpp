#include "engine/config/field_rows.h"

#include "engine/config/field_values.h"
#include "engine/config/value_text.h"

namespace lockstep::config {
namespace {

/// `Take` gets the field as it is when the table is complete: rows are still changed after they are
/// added.
template <typename Value, typename Take, typename Write>
void complete(Field& field, Access<Value> access, const Take& take, const Write& write) {
  field.text = [get = access.get, write](const Experiment& experiment) {
    return write(get(experiment));
  };
  field.assignNode = [key = field.key, set = std::move(access.set), take](Experiment& experiment,
                                                                          const YamlNode& node) {
    Value value{};
    ValueFault fault = take(*findField(key), node, value);
    if (fault.text.empty()) set(experiment, std::move(value));
    return fault;
  };
}

template <typename Value, typename Write>
std::string writeList(const std::vector<Value>& values, const Write& write) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + write(value);
  return "[" + text + "]";
}

template <typename Value, typename Take, typename Write>
void completeListOrWord(Field& field, Access<ListOrWord<Value>> access, const Take& take,
                        const Write& write) {
  complete(field, std::move(access), take, [write](const ListOrWord<Value>& list) {
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
      [](const Field&, const YamlNode& node, bool& value) { return takeBool(node, value); },
      [](bool value) { return std::string(value ? "true" : "false"); });
}

void completeInteger(Field& field, Access<std::int64_t> access) {
  complete(field, std::move(access), takeInteger, writeInteger);
}

void completeIntegerOrAuto(Field& field, Access<std::optional<std::int64_t>> access) {
  complete(field, std::move(access), takeIntegerOrAuto, [](std::optional<std::int64_t> value) {
    return value ? std::to_string(*value) : std::string("auto");
  });
}

void completeNumber(Field& field, Access<double> access) {
  complete(field, std::move(access), takeNumber, writeNumber);
}

void completeOptionalNumber(Field& field, Access<std::optional<double>> access) {
  complete(field, std::move(access), takeOptionalNumber, [](std::optional<double> value) {
    return value ? writeNumber(*value) : std::string("null");
  });
}

void completeText(Field& field, Access<std::string> access) {
  if (field.type == FieldType::Choice) {
    complete(field, std::move(access), takeChoice, writeNullableText);
  } else {
    complete(field, std::move(access), takeText, writeNullableText);
  }
}

void completeDuration(Field& field, Access<Duration> access) {
  complete(field, std::move(access), takeDuration, writeDuration);
}

void completeBytes(Field& field, Access<std::int64_t> access) {
  complete(field, std::move(access), takeBytes, writeBytes);
}

void completeIntegers(Field& field, Access<std::vector<std::int64_t>> access) {
  complete(field, std::move(access), takeIntegers,
           [](const std::vector<std::int64_t>& values) { return writeList(values, writeInteger); });
}

void completeNumbers(Field& field, Access<std::vector<double>> access) {
  complete(field, std::move(access), takeNumbers,
           [](const std::vector<double>& values) { return writeList(values, writeNumber); });
}

void completeDurations(Field& field, Access<std::vector<Duration>> access) {
  complete(field, std::move(access), takeDurations,
           [](const std::vector<Duration>& values) { return writeList(values, writeDuration); });
}

void completeTexts(Field& field, Access<std::vector<std::string>> access) {
  complete(field, std::move(access), takeTexts,
           [](const std::vector<std::string>& values) { return writeList(values, writeText); });
}

void completeIntegersOrWord(Field& field, Access<ListOrWord<int>> access) {
  completeListOrWord(field, std::move(access), takeIntegersOrWord, writeInteger);
}

void completeNumbersOrWord(Field& field, Access<ListOrWord<double>> access) {
  completeListOrWord(field, std::move(access), takeNumbersOrWord, writeNumber);
}

void completeLevelsOrWord(Field& field, Access<ListOrWord<Level>> access) {
  completeListOrWord(field, std::move(access), takeLevelsOrWord, writeLevel);
}

}  // namespace lockstep::config
