#pragma once

#include <QListWidget>
#include <map>
#include <string>

#include "widgets/experiment/form_fields.h"

namespace lockstep::widgets {

/// The sections of the experiment file to jump to, each with how many of its values the document
/// gives and its errors.
class SectionList : public QListWidget {
  Q_OBJECT

 public:
  explicit SectionList(QWidget* parent = nullptr);

  void setCounts(const std::map<std::string, SectionCounts>& counts);
  /// Marks the section in view, without a signal.
  void showCurrent(const std::string& section);

 Q_SIGNALS:
  void sectionChosen(const QString& section);
};

}  // namespace lockstep::widgets
