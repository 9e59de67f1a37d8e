#pragma once

#include <QItemSelectionModel>
#include <QSet>
#include <QTreeView>

namespace lockstep::app {

class RunTree;

/// Knows whether a change of the selection replaces it, so that whoever keeps selected runs that
/// are not shown can tell "also this one" from "only this one".
class RunSelectionModel : public QItemSelectionModel {
  Q_OBJECT

 public:
  using QItemSelectionModel::QItemSelectionModel;
  /// While selectionChanged() is emitted: what was selected before no longer is.
  bool replaces() const { return replaces_; }
  void select(const QItemSelection& selection, SelectionFlags command) override;
  using QItemSelectionModel::select;

 private:
  bool replaces_ = false;
};

/// The runs as a table, or a list while there is one column. Sections open and close with a click
/// and stay as they were left; runs of the queue can be dragged. A click on empty space does not
/// clear the selection.
class RunTreeView : public QTreeView {
  Q_OBJECT

 public:
  explicit RunTreeView(RunTree* tree, QWidget* parent = nullptr);
  RunSelectionModel* runSelection() const { return selection_; }

 protected:
  QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index,
                                                       const QEvent* event) const override;
  void keyPressEvent(QKeyEvent* event) override;
  void drawBranches(QPainter*, const QRect&, const QModelIndex&) const override {}

 private:
  void sizeColumns();
  void showSections();

  RunTree* tree_;
  RunSelectionModel* selection_;
  QSet<QString> closed_;  ///< titles of sections
};

}  // namespace lockstep::app
