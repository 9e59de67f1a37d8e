#pragma once

#include <string>

#include "engine/config/fields.h"
#include "engine/config/yaml_tree.h"

/// Messages about keys that are not in the field table.
namespace lockstep::config {

/// section: dotted, "" for the top level; written: the key as in the file; value: its node, which
/// shows whether a section or a value was meant.
ValueError unknownKey(const std::string& section, const std::string& written,
                      const YamlNode& value);

/// What is wrong with "base_lr 0.01" where keys are expected; "": it does not begin with a key or a
/// section of `section` and a space.
std::string missingColon(const std::string& section, const std::string& written);

/// Names of the keys and sub-sections right below a section: "optimizer, base_lr, …".
std::string keysOf(const std::string& section);

}  // namespace lockstep::config
