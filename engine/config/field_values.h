#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/fields.h"
#include "engine/config/yaml_tree.h"

/// Typed values out of YAML nodes, with the words for what is wrong. Each `take…` fills `value` or
/// returns a fault.
namespace lockstep::config {

ValueFault takeBool(const YamlNode& node, bool& value);
ValueFault takeInteger(const Field& field, const YamlNode& node, std::int64_t& value);
/// Absent: the word `auto`, the field's only choice.
ValueFault takeIntegerOrAuto(const Field& field, const YamlNode& node,
                             std::optional<std::int64_t>& value);
ValueFault takeNumber(const Field& field, const YamlNode& node, double& value);
/// Absent: `null`.
ValueFault takeOptionalNumber(const Field& field, const YamlNode& node,
                              std::optional<double>& value);
ValueFault takeDuration(const Field& field, const YamlNode& node, Duration& value);
ValueFault takeBytes(const Field& field, const YamlNode& node, std::int64_t& value);
/// Text, Path and Choice; `null` is "" where the field is nullable.
ValueFault takeText(const Field& field, const YamlNode& node, std::string& value);
ValueFault takeChoice(const Field& field, const YamlNode& node, std::string& value);

ValueFault takeIntegers(const Field& field, const YamlNode& node,
                        std::vector<std::int64_t>& values);
ValueFault takeNumbers(const Field& field, const YamlNode& node, std::vector<double>& values);
ValueFault takeDurations(const Field& field, const YamlNode& node, std::vector<Duration>& values);
ValueFault takeTexts(const Field& field, const YamlNode& node, std::vector<std::string>& values);

/// A list, or one of the field's words (`null` where it is nullable) in its place.
ValueFault takeIntegersOrWord(const Field& field, const YamlNode& node, ListOrWord<int>& list);
ValueFault takeNumbersOrWord(const Field& field, const YamlNode& node, ListOrWord<double>& list);
ValueFault takeLevelsOrWord(const Field& field, const YamlNode& node, ListOrWord<Level>& list);

/// The node of a value given outside a file: YAML, save that words need no quotes there. Throws
/// YamlFault.
YamlNode valueNode(const Field& field, const std::string& yamlText);

/// "is a list", "is a section", … for messages about a node of the wrong kind.
std::string describeKind(const YamlNode& node);

}  // namespace lockstep::config
