#pragma once

#include <QWidget>
#include <vector>

#include "app/docks/inspected.h"

class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep::app {

/// Things and their facts as a tree of names and values that can be copied.
class FactPanel : public QWidget {
  Q_OBJECT

 public:
  /// `name`: of its tree, for a screen reader.
  explicit FactPanel(const QString& name, QWidget* parent = nullptr);

  /// What is open, selected and scrolled to stays so while the names stay the same.
  void setThings(const std::vector<Inspected>& things);
  /// Of the inspector: a window has them once.
  void addNamedActions();
  QTreeWidget* tree() const { return tree_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 public Q_SLOTS:
  /// The values of the selected rows, or all facts of all things if none is selected.
  void copy();
  void copyAll();

 Q_SIGNALS:
  /// It can be seen, and may be out of date.
  void shown();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildUi(const QString& name);
  void fitNames();

  QTreeWidget* tree_ = nullptr;
};

}  // namespace lockstep::app
