#pragma once

#include <QListWidget>
#include <map>
#include <string>

namespace lockstep::widgets {

/// The sections of the experiment file to jump to, each with how many of its values the document
/// gives and its errors.
class SectionList : public QListWidget {
  Q_OBJECT

 public:
  struct Counts {
    int given = 0, errors = 0;
  };

  explicit SectionList(QWidget* parent = nullptr);

  void setCounts(const std::map<std::string, Counts>& counts);
  /// Marks the section in view, without a signal.
  void showCurrent(const std::string& section);

 Q_SIGNALS:
  void sectionChosen(const QString& section);
};

/// Sections and sub-sections ("model.rpn") in the order of the file; the top level is "".
std::vector<std::string> allSections();

}  // namespace lockstep::widgets
