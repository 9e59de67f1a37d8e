#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/config/fields.h"
#include "engine/config/yaml_tree.h"

/// The keys and values of detectron2 and other tools, for the messages about them.
namespace lockstep::config {

/// Replacement for a key of another tool.
struct KeyHere {
  std::string key;     ///< ours, or a section; empty: there is none
  std::string value;   ///< its value as YAML; empty: that of the other tool does not fit
  std::string advice;  ///< if there is no such key

  /// `did you mean solver.base_lr: 0.02?`, or the advice. separator: ": " in a file, "=" in an
  /// override.
  std::string text(const char* separator) const;
};

/// `written`: a whole dotted key, in upper or lower case; value: what was written, or null.
std::optional<KeyHere> keyHere(std::string_view written, const YamlNode* value = nullptr);

/// Our key for the last name of one that is otherwise unknown (`train.epochs`), or "".
std::string keyHereByLastName(std::string_view written);

/// True for a key of detectron2's configuration (`SOLVER.BASE_LR`), which is in upper case.
bool isDetectron2Key(std::string_view key);

/// The error of a value that is written as in Python: `(32, 64)` for [32, 64], `None` for null.
/// Empty: it is not.
ValueError pythonError(const Field& field, const YamlNode& value);

/// Lower case, with _ for - and space: base-lr and BASE_LR become base_lr.
std::string normalisedKey(std::string_view key);

}  // namespace lockstep::config
