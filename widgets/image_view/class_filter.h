#pragma once

#include <QStringList>
#include <QToolButton>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "widgets/instances/instance_match.h"

class QTreeWidget;

namespace lockstep::widgets {

class ClassSearch;

/// A button that opens the list of classes with their counts; unchecked classes are hidden on the
/// whole page.
class ClassFilter : public QToolButton {
  Q_OBJECT

 public:
  explicit ClassFilter(QWidget* parent = nullptr);

  /// Classes whose name was unchecked before stay unchecked.
  void setClasses(const std::vector<coco::Category>& classes);
  /// Counts of each class in the same order; std::nullopt: not known.
  void setCounts(const std::vector<std::optional<coco::Counts>>& counts);
  const std::set<CategoryId>& hidden() const { return hidden_; }
  /// Names of hidden classes, also of those that the classes do not have.
  QStringList unchecked() const;
  /// These instead. Emits no signal.
  void uncheck(const QStringList& names);

 Q_SIGNALS:
  void hiddenChanged();

 private:
  void buildMenu();
  void buildList();
  void fitColumns();
  void fitList();
  void setAll(Qt::CheckState state);
  void filterRows();
  void readCheckBoxes();
  void updateText();

  std::vector<coco::Category> classes_;
  std::set<CategoryId> hidden_;
  std::set<std::string> unchecked_;  ///< names, for the next dataset
  ClassSearch* search_ = nullptr;
  QTreeWidget* list_ = nullptr;
  bool isFilling_ = false;
};

}  // namespace lockstep::widgets
