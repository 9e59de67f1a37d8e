#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <string>
#include <vector>

#include "engine/config/fields.h"
#include "widgets/experiment/document_check.h"

/// What the form shows of a checked document.
namespace lockstep::widgets {

/// The value in an editor: the document's own, or the inherited or default value.
struct ShownValue {
  QString text;
  bool isGiven = false;  ///< set in the document itself; false: inherited, or the default
  bool hasError = false;
};

/// One key in the form.
struct FieldState {
  ShownValue value;
  QString origin;        ///< "base.yaml:12" of an inherited value; empty: the default, or set here
  QString replaced;      ///< the value that applies without that of the document
  QString replacedFrom;  ///< "base.yaml:12" of it; empty: the default
  bool repeats = false;  ///< the document sets the value that applies anyway
  QString error;         ///< text of the first error
};
/// `file`: path of the document; a value with another origin is inherited.
FieldState fieldState(const config::Field& field, const DocumentState& state, const QString& file);

/// Whether the field's key, label or help contains every word.
bool matchesWords(const config::Field& field, const QStringList& words);

/// Whether the form shows a key at once: data, length, learning rate, model and what most
/// experiments set. It folds the others of a section.
bool isCommon(const std::string& key);
/// Sections and sub-sections ("model.rpn") in the order of the form: data, training and model
/// first; the top level is "".
std::vector<std::string> allSections();
/// The keys of one section in the order of the form: the common ones first.
std::vector<const config::Field*> fieldsOf(const std::string& section);

struct SectionCounts {
  int given = 0, errors = 0;
};
/// By section: number of values set in the document itself, and of errors.
std::map<std::string, SectionCounts> sectionCounts(const DocumentState& state);

}  // namespace lockstep::widgets
