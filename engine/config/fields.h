#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/experiment.h"

/// The table of all experiment keys. It drives the parser, range checks, the form in the app,
/// `--set`, `config docs` and `config schema`.
namespace lockstep::config {

struct YamlNode;

enum class FieldType {
  Bool,
  Integer,
  Number,
  Text,
  Path,
  Choice,
  Duration,
  Bytes,
  IntegerList,
  NumberList,
  DurationList,
  LevelList,
  TextList,
};

/// What is wrong with a value ("-0.1 is not > 0"; "": nothing) and the value or key that was
/// probably meant ("": unknown).
struct ValueError {
  std::string text;
  std::string suggestion;
};

struct Field {
  std::string key;  ///< dotted: `solver.base_lr`
  FieldType type = FieldType::Text;
  std::string unit;  ///< "px", "images", "s", "" …
  std::string help;  ///< one line
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool minimumExcluded = false;
  bool maximumExcluded = false;
  int listSize = -1;        ///< required length of a list, -1: any
  bool mayBeEmpty = false;  ///< of a list
  /// Values of a Choice; for an Integer or a list, words allowed in its place (`auto`).
  std::vector<std::string> choices;
  /// Of a Choice: a regular expression of values that are allowed too, as cross checks decide.
  std::string otherChoices;
  bool nullable = false;      ///< `null` is allowed
  bool isImplemented = true;  ///< false: not implemented yet; only the default is accepted
  /// The value as it would stand in YAML (flow style): `0.02`, `[32, 64]`, `null`, `12 epochs`.
  std::function<std::string(const Experiment&)> text;
  /// Assigns a parsed value, or returns what is wrong with it.
  std::function<ValueError(Experiment&, const YamlNode&)> assignNode;

  /// Parses and assigns YAML scalar or flow text; returns "" or what is wrong.
  std::string assign(Experiment& experiment, const std::string& yamlText) const;
  /// The same, with a suggestion.
  ValueError check(Experiment& experiment, const std::string& yamlText) const;

  /// Why a value that is not implemented yet is refused ("512 is not built yet; …"), or "".
  std::string refusal(const Experiment& experiment) const;
  /// What of this key is not built yet, as a sentence for form, docs and schema, or "".
  std::string notImplementedText() const;
  /// "> 0", "0 … 1" or "", for messages, form and docs.
  std::string rangeText() const;
  /// "number", "list of integers", "one of sgd, adamw" for messages and docs.
  std::string typeText() const;
  std::string defaultText() const { return text(Experiment()); }
};

/// Whether values of this type are written as a list.
bool isList(FieldType type);

/// All fields, in the order of the experiment file.
const std::vector<Field>& fields();
/// Field with this dotted key, or nullptr.
const Field* findField(std::string_view key);
/// Nearest known dotted key (edit distance over the whole key and over its last name), or our key
/// for one of another tool; "" when none is near. value: that of the written key, or null.
std::string nearestKey(std::string_view key, const YamlNode* value = nullptr);
/// The same among sections and sub-sections.
std::string nearestSection(std::string_view key);
/// Nearest of the candidates, or "".
std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates);
/// Top-level sections in the order of the file: "" (for name and base), "dataset", "augment", ….
std::vector<std::string> sections();
/// Whether this dotted key is a section or a sub-section ("model.rpn").
bool isSection(std::string_view key);
/// One-line help of a section or sub-section such as "model.rpn".
std::string sectionHelp(std::string_view section);

}  // namespace lockstep::config
