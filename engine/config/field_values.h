#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/fields.h"
#include "engine/config/yaml_tree.h"

/// Parses YAML nodes into typed values. Each parse function sets `value` and returns an empty
/// error, or returns what is wrong.
namespace lockstep::config {

ValueError parseBool(const YamlNode& node, bool& value);
ValueError parseInteger(const Field& field, const YamlNode& node, std::int64_t& value);
/// No value: the word `auto`, the field's only choice.
ValueError parseIntegerOrAuto(const Field& field, const YamlNode& node,
                              std::optional<std::int64_t>& value);
ValueError parseNumber(const Field& field, const YamlNode& node, double& value);
/// No value: `null`.
ValueError parseOptionalNumber(const Field& field, const YamlNode& node,
                               std::optional<double>& value);
ValueError parseDuration(const Field& field, const YamlNode& node, Duration& value);
ValueError parseBytes(const Field& field, const YamlNode& node, std::int64_t& value);
/// Text, Path and Choice; `null` is "" where the field is nullable.
ValueError parseText(const Field& field, const YamlNode& node, std::string& value);
ValueError parseChoice(const Field& field, const YamlNode& node, std::string& value);

ValueError parseIntegers(const Field& field, const YamlNode& node,
                         std::vector<std::int64_t>& values);
ValueError parseNumbers(const Field& field, const YamlNode& node, std::vector<double>& values);
ValueError parseDurations(const Field& field, const YamlNode& node, std::vector<Duration>& values);
ValueError parseTexts(const Field& field, const YamlNode& node, std::vector<std::string>& values);

/// A list, or one of the field's words (`null` where it is nullable) in its place.
ValueError parseIntegersOrWord(const Field& field, const YamlNode& node, ListOrWord<int>& list);
ValueError parseNumbersOrWord(const Field& field, const YamlNode& node, ListOrWord<double>& list);
ValueError parseLevelsOrWord(const Field& field, const YamlNode& node, ListOrWord<Level>& list);

/// The node of a value that does not come from a file, such as that of --set: YAML, but paths and
/// texts need no quotes. Throws YamlError.
YamlNode valueNode(const Field& field, const std::string& yamlText);

/// "is a list", "is a section", … for messages about a node of an unexpected kind.
std::string describeKind(const YamlNode& node);

}  // namespace lockstep::config
