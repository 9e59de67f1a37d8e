#pragma once

#include <string>

#include "engine/config/fields.h"
#include "engine/config/yaml_tree.h"

/// What is said about a key that the table does not hold.
namespace lockstep::config {

/// section: dotted, "" for the top level; written: the key as it stands there; value: tells a
/// section from a value.
ValueFault unknownKey(const std::string& section, const std::string& written,
                      const YamlNode& value);

/// Names of the keys and sub-sections right below a section: "optimizer, base_lr, …".
std::string keysOf(const std::string& section);

}  // namespace lockstep::config
