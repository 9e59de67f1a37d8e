#include "engine/config/fields.h"

#include <algorithm>
#include <unordered_map>

#include "engine/config/field_rows.h"
#include "engine/config/field_values.h"
#include "engine/config/value_text.h"
#include "engine/config/yaml_tree.h"

namespace lockstep::config {
namespace {

/// The largest int: a maximum that is only the type's limit is left out of range texts.
constexpr double kNoMaximum = 2147483647;

FieldTable makeTable() {
  FieldTable table;
  SectionRows top(
      table, "", "Name and base file.", [](auto& e) -> auto& { return e; });
  top.text("name", &Experiment::name,
           "Name of the experiment; run folders are named NAME-DATE-TIME.");
  top.path("base", &Experiment::base,
           "Experiment file to inherit from; this file then holds only the keys that differ.");
  addDatasetFields(table);
  addModelFields(table);
  addSolverFields(table);
  addRunFields(table);
  return table;
}

const FieldTable& table() {
  static const FieldTable made = makeTable();
  return made;
}

std::string plainNumber(double value) {
  return value == static_cast<double>(static_cast<std::int64_t>(value))
             ? std::to_string(static_cast<std::int64_t>(value))
             : writeNumber(value);
}

}  // namespace

bool isList(FieldType type) {
  return type == FieldType::IntegerList || type == FieldType::NumberList ||
         type == FieldType::DurationList || type == FieldType::LevelList ||
         type == FieldType::TextList;
}

const std::vector<Field>& fields() { return table().fields; }

const Field* findField(std::string_view key) {
  static const std::unordered_map<std::string_view, const Field*> byKey = [] {
    std::unordered_map<std::string_view, const Field*> map;
    for (const Field& field : fields()) map.emplace(field.key, &field);
    return map;
  }();
  const auto found = byKey.find(key);
  return found == byKey.end() ? nullptr : found->second;
}

std::vector<std::string> sections() {
  std::vector<std::string> names;
  for (const auto& [name, help] : table().sections) {
    if (name.find('.') == std::string::npos) names.push_back(name);
  }
  return names;
}

bool isSection(std::string_view key) {
  const auto& all = table().sections;
  return !key.empty() && std::any_of(all.begin(), all.end(),
                                     [&](const auto& section) { return section.first == key; });
}

std::string sectionHelp(std::string_view section) {
  for (const auto& [name, help] : table().sections) {
    if (name == section) return help;
  }
  return {};
}

YamlNode valueNode(const Field& field, const std::string& yamlText) {
  const std::string_view value = trimmed(yamlText);
  const bool isWord = field.type == FieldType::Path || field.type == FieldType::Text ||
                      field.type == FieldType::Choice;
  const bool isYaml =
      value.empty() || value == "null" || value == "~" || value[0] == '"' || value[0] == '\'';
  if (!isWord || isYaml) return parseYamlValue(yamlText);
  YamlNode node;  // a path such as `a: b` or `#1` is taken as it is
  node.kind = YamlNode::Kind::Scalar;
  node.text = value;
  return node;
}

ValueError Field::check(Experiment& experiment, const std::string& yamlText) const {
  try {
    return assignNode(experiment, valueNode(*this, yamlText));
  } catch (const YamlError& error) {
    return {std::string(trimmed(yamlText)) + ": " + error.text, {}};
  }
}

std::string Field::assign(Experiment& experiment, const std::string& yamlText) const {
  return check(experiment, yamlText).text;
}

std::string Field::rangeText() const {
  const bool hasMinimum = minimum > -std::numeric_limits<double>::infinity();
  const bool hasMaximum =
      maximum < std::numeric_limits<double>::infinity() && maximum != kNoMaximum;
  if (hasMinimum && hasMaximum && !minimumExcluded && !maximumExcluded) {
    return plainNumber(minimum) + " … " + plainNumber(maximum);
  }
  std::string words;
  if (hasMinimum) words = (minimumExcluded ? "> " : "≥ ") + plainNumber(minimum);
  if (hasMaximum) {
    words += (words.empty() ? "" : " and ") + std::string(maximumExcluded ? "< " : "≤ ") +
             plainNumber(maximum);
  }
  return words;
}

std::string Field::typeText() const {
  const std::string count = listSize < 0 ? "" : std::to_string(listSize) + " ";
  std::string words;
  switch (type) {
    case FieldType::Bool:
      words = "boolean";
      break;
    case FieldType::Integer:
      words = "integer";
      break;
    case FieldType::Number:
      words = "number";
      break;
    case FieldType::Text:
      words = "string";
      break;
    case FieldType::Path:
      words = "path";
      break;
    case FieldType::Choice:
      break;
    case FieldType::Duration:
      words = "steps, epochs or images";
      break;
    case FieldType::Bytes:
      words = "size";
      break;
    case FieldType::IntegerList:
      words = "list of " + count + "integers";
      break;
    case FieldType::NumberList:
      words = "list of " + count + "numbers";
      break;
    case FieldType::DurationList:
      words = "list of steps, epochs or images";
      break;
    case FieldType::LevelList:
      words = "list of " + count + "values or percentiles";
      break;
    case FieldType::TextList:
      words = "list of strings";
      break;
  }
  for (const std::string& choice : choices) words += (words.empty() ? "" : ", ") + choice;
  return words + (nullable ? " or null" : "");
}

std::string Field::refusal(const Experiment& experiment) const {
  const std::string value = text(experiment);
  if (isImplemented || value == defaultText()) return {};
  return value + " is not built yet; leave it at " + defaultText();
}

std::string Field::notImplementedText() const {
  return isImplemented ? "" : "Not built yet: only the default is accepted.";
}

}  // namespace lockstep::config
