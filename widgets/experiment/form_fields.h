#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <string>
#include <vector>

#include "engine/config/fields.h"
#include "widgets/experiment/document_check.h"

/// What a form of all keys shows of a checked document.
namespace lockstep::widgets {

/// What an editor shows: the document's own value, or the value that holds without one.
struct ShownValue {
  QString text;
  bool isGiven = false;  ///< the document itself gives it; else it is the default or inherited
  bool isFaulty = false;
};

/// One key in the form.
struct FieldState {
  ShownValue value;
  QString origin;  ///< "base.yaml:12" of an inherited value; empty: its default, or given here
  QString fault;   ///< text of the first fault
};
/// `file`: the document's own, to tell inherited values by.
FieldState fieldState(const config::Field& field, const DocumentState& state, const QString& file);

/// The field's key, name or help has every word.
bool matchesWords(const config::Field& field, const QStringList& words);

/// Sections and sub-sections ("model.rpn") in the order of the file; the top level is "".
std::vector<std::string> allSections();

struct SectionCounts {
  int given = 0, errors = 0;
};
/// By section: values that the document itself gives, and errors.
std::map<std::string, SectionCounts> sectionCounts(const DocumentState& state);

}  // namespace lockstep::widgets
