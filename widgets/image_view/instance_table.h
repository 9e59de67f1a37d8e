#pragma once

#include <QTableView>
#include <memory>

#include "widgets/image_view/canvas_scene.h"

class QSortFilterProxyModel;

namespace lockstep::widgets {

class InstanceModel;

/// The instances of one image, sorted by score until a column title is clicked.
class InstanceTable : public QTableView {
  Q_OBJECT

 public:
  explicit InstanceTable(QWidget* parent = nullptr);

  void setScene(std::shared_ptr<const CanvasScene> scene);
  /// Selects a row without a signal; -1: none.
  void showChosen(int instance);
  /// The instance `by` rows further down in the current order; -1 without rows.
  int neighbour(int instance, int by) const;

 Q_SIGNALS:
  void instanceChosen(int instance);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitColumns();

  InstanceModel* model_ = nullptr;
  QSortFilterProxyModel* sorted_ = nullptr;
  int widestClassPx_ = 0, widestObjectPx_ = 0, widestErrorPx_ = 0;
  bool hasSeveralClasses_ = false;
  bool isQuiet_ = false;  ///< the selection changes, but not by the user
};

}  // namespace lockstep::widgets
