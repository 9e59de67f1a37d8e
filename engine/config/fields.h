#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/experiment.h"

/// The one table of experiment keys. It drives the parser, range checks, the form in the app,
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

/// What is wrong with a value ("-0.1 is not > 0") and what was probably meant ("" when nothing is
/// near).
struct ValueFault {
  std::string text;
  std::string proposal;
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
  /// Of a Choice; of an Integer or a list the words that may stand in its place (`auto`).
  std::vector<std::string> choices;
  bool nullable = false;  ///< `null` is allowed
  bool isBuilt = true;    ///< false: no part reads this key yet, so that only its default is taken
  std::vector<std::string> choicesToCome;  ///< those of `choices` that no part is built for yet
  /// The value as it would stand in YAML (flow style): `0.02`, `[32, 64]`, `null`, `12 epochs`.
  std::function<std::string(const Experiment&)> text;
  /// Takes a parsed value, or says what is wrong with it (text "": nothing).
  std::function<ValueFault(Experiment&, const YamlNode&)> assignNode;

  /// Parses YAML scalar or flow text; returns "" or what is wrong ("-0.1 is not > 0").
  std::string assign(Experiment& experiment, const std::string& yamlText) const;
  /// The same with a proposal.
  ValueFault check(Experiment& experiment, const std::string& yamlText) const;

  /// Why the value is refused so far ("auto is not built yet; …"); "" when a part reads it.
  std::string refusal(const Experiment& experiment) const;
  /// What of this key is not built yet, as a sentence for form, docs and schema; "" when nothing.
  std::string toComeText() const;
  /// "> 0", "0 … 1", "" in words for messages, form and docs.
  std::string rangeText() const;
  /// "number", "list of whole numbers", "one of sgd, adamw" for messages and docs.
  std::string typeText() const;
  /// The text of the default value.
  std::string defaultText() const { return text(Experiment()); }
};

/// Whether values of this type are written as a list.
bool isList(FieldType type);

/// All fields, in the order of the experiment file.
const std::vector<Field>& fields();
/// Field with this dotted key, or nullptr.
const Field* findField(std::string_view key);
/// Nearest known dotted key (edit distance over the whole key and over its last part), or "" when
/// nothing is near.
std::string nearestKey(std::string_view key);
/// The same among sections and sub-sections.
std::string nearestSection(std::string_view key);
/// Nearest of a few words, or "".
std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates);
/// Top-level sections in the order of the file: "", which holds name and base, "dataset",
/// "augment", ….
std::vector<std::string> sections();
/// Whether this dotted key is a section or a sub-section ("model.rpn").
bool isSection(std::string_view key);
/// One-line doc of a section or sub-section such as "model.rpn".
std::string sectionHelp(std::string_view section);

}  // namespace lockstep::config
