#pragma once

#include <QListWidget>
#include <map>
#include <string>

#include "widgets/experiment/form_fields.h"

namespace lockstep::widgets {

/// The sections of the experiment to jump to, each with its number of values set in the document,
/// or its number of errors.
class SectionList : public QListWidget {
  Q_OBJECT

 public:
  explicit SectionList(QWidget* parent = nullptr);

  void setCounts(const std::map<std::string, SectionCounts>& counts);
  /// Until the next setCounts().
  void hideErrors();
  /// Marks the section in view, without a signal.
  void showCurrent(const std::string& section);

 Q_SIGNALS:
  void sectionChosen(const QString& section);
};

}  // namespace lockstep::widgets
