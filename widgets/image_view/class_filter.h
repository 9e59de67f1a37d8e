#pragma once

#include <QToolButton>
#include <set>
#include <vector>

#include "engine/coco/files/dataset.h"

class QLineEdit;
class QListWidget;
class QListWidgetItem;

namespace lockstep::widgets {

/// A button that opens the list of classes with their counts; unticked ones are hidden everywhere
/// on the page.
class ClassFilter : public QToolButton {
  Q_OBJECT

 public:
  explicit ClassFilter(QWidget* parent = nullptr);

  void setClasses(const std::vector<coco::Category>& classes);
  /// Text behind a class, such as its counts; same order as the classes.
  void setNotes(const std::vector<QString>& notes);
  const std::set<CategoryId>& hidden() const { return hidden_; }

 Q_SIGNALS:
  void hiddenChanged();

 private:
  void buildMenu();
  void setAll(Qt::CheckState state);
  void filterRows(const QString& words);
  void readTicks();
  void updateText();

  std::vector<coco::Category> classes_;
  std::set<CategoryId> hidden_;
  QLineEdit* search_ = nullptr;
  QListWidget* list_ = nullptr;
  bool isFilling_ = false;
};

}  // namespace lockstep::widgets
