#pragma once

#include <QToolButton>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "widgets/instances/instance_match.h"

class QLineEdit;
class QTreeWidget;

namespace lockstep::widgets {

/// A button that opens the list of classes with their counts; unticked ones are hidden everywhere
/// on the page.
class ClassFilter : public QToolButton {
  Q_OBJECT

 public:
  explicit ClassFilter(QWidget* parent = nullptr);

  /// Those of a name that was unticked before are so again.
  void setClasses(const std::vector<coco::Category>& classes);
  /// True positives, false positives and missed ones of each class in the same order; nothing where
  /// none is there.
  void setCounts(const std::vector<std::optional<coco::Counts>>& counts);
  const std::set<CategoryId>& hidden() const { return hidden_; }

 Q_SIGNALS:
  void hiddenChanged();

 private:
  void buildMenu();
  void buildList();
  void fitColumns();
  void fitList();
  void setAll(Qt::CheckState state);
  void filterRows(const QString& words);
  void readTicks();
  void updateText();

  std::vector<coco::Category> classes_;
  std::set<CategoryId> hidden_;
  std::set<std::string> unticked_;  ///< names, for the next data set
  QLineEdit* search_ = nullptr;
  QTreeWidget* list_ = nullptr;
  bool isFilling_ = false;
};

}  // namespace lockstep::widgets
