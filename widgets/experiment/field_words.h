#pragma once

#include <QString>

#include "engine/config/fields.h"

namespace lockstep::widgets {

/// Last part of a dotted key in words: `model.rpn.fg_iou` → "Fg IoU".
QString labelOf(const std::string& key);
/// Dotted section of a key, "" for the top level.
std::string sectionOf(const std::string& key);
/// Last part of a section in words: "model.box_head" → "Box head"; "" → "Experiment".
QString sectionTitle(const std::string& section);
/// Type, range and default of a field, and what of it is not built yet, in one line.
QString factsOf(const config::Field& field);
/// The key, its help and its facts, in lines.
QString helpOf(const config::Field& field);
/// The value a person types, as YAML: quoted where it has to be. Lists get their brackets.
std::string yamlOf(const config::Field& field, const QString& typed);

}  // namespace lockstep::widgets
