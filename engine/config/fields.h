#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/experiment.h"

/// The one table of experiment keys. It drives the parser, range checks, the form in the app, `--set`, `config docs`
/// and `config schema`.
namespace lockstep::config {

enum class FieldType {
  Bool, Integer, Number, Text, Path, Choice, Duration, Bytes, IntegerList, NumberList, DurationList,
};

struct Field {
  std::string key;              ///< dotted: `solver.base_lr`
  FieldType type = FieldType::Text;
  std::string unit;             ///< "px", "images", "s", "" …
  std::string help;             ///< one line
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool minimumExcluded = false;
  bool maximumExcluded = false;
  int listSize = -1;            ///< required length of a list, -1: at least one
  std::vector<std::string> choices;  ///< of a Choice; also the words an Integer or Path may be besides its value (`auto`, `null`)
  bool nullable = false;        ///< `null` is allowed
  /// Values that have no part behind them yet are refused: empty, or why ("the part is not built yet").
  std::function<bool(const Experiment&)> isBuilt;
  /// The value as it would stand in YAML (flow style): `0.02`, `[32, 64]`, `null`, `12 epochs`.
  std::function<std::string(const Experiment&)> text;
  /// Parses YAML scalar or flow text; returns "" or what is wrong ("is not > 0").
  std::function<std::string(Experiment&, const std::string& yamlText)> assign;

  /// "> 0", "0 … 1", "" in words for messages, form and docs.
  std::string rangeText() const;
};

/// All fields, in the order of the experiment file.
const std::vector<Field>& fields();
/// Field with this dotted key, or nullptr.
const Field* findField(std::string_view key);
/// Nearest known dotted key (edit distance over the whole key and over its last part), or "" when nothing is near.
std::string nearestKey(std::string_view key);
/// Sections in the order of the file: "dataset", "augment", …; the top level (name, base) is "".
std::vector<std::string> sections();
/// One-line doc of a section or sub-section such as "model.rpn".
std::string sectionHelp(std::string_view section);

}  // namespace lockstep::config
