#pragma once

#include <QString>

#include "engine/config/fields.h"

namespace lockstep::widgets {

/// Last name of a dotted key in words: `model.rpn.fg_iou` → "Foreground IoU".
QString labelOf(const std::string& key);
/// Dotted section of a key, "" for the top level.
std::string sectionOf(const std::string& key);
/// Last name of a section in words: "model.box_head" → "Box head"; "" → "Experiment".
QString sectionTitle(const std::string& section);
/// What a section is for, and what a field does: texts of the engine's tables, translated here.
QString sectionHelpOf(const std::string& section);
QString fieldHelpOf(const config::Field& field);
/// Empty: it has none.
QString unitOf(const config::Field& field);
/// Type, unit, range and default of a field, and what is not built yet, in one line.
QString factsOf(const config::Field& field);
/// The key, its help and its facts, one below the other.
QString helpOf(const config::Field& field);
/// What the value of the document replaces: "Overrides 0.5 of base.yaml:3".
QString replacedText(const std::string& value, const std::string& from, bool repeats);
/// Whether `text` is a word that the field accepts in place of a list, or null.
bool isWordOf(const config::Field& field, const std::string& text);
/// A typed value as YAML: quoted where needed, lists in brackets.
std::string yamlOf(const config::Field& field, const QString& typed);

}  // namespace lockstep::widgets
