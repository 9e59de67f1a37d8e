#pragma once

#include <QWidget>
#include <vector>

#include "app/models/inspected.h"

class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep::app {

/// The facts of what is selected, as a tree of names and values that can be copied.
class InspectorPanel : public QWidget {
  Q_OBJECT

 public:
  explicit InspectorPanel(QWidget* parent = nullptr);

  /// What is open, selected and scrolled to stays so while the names stay the same.
  void setThings(const std::vector<Inspected>& things);
  QTreeWidget* tree() const { return tree_; }
  QSize sizeHint() const override;

 public Q_SLOTS:
  /// The values of the selected rows, or all facts of all things if none is selected.
  void copy();
  void copyAll();

 Q_SIGNALS:
  /// It can be seen, and may be out of date.
  void shown();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void buildUi();
  void addNamedActions();

  QTreeWidget* tree_ = nullptr;
};

}  // namespace lockstep::app
