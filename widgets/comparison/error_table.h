#pragma once

#include <QTreeWidget>
#include <array>

#include "engine/coco/analysis/error_types.h"

namespace lockstep::widgets {

/// TIDE's errors of A and B: how many there are of each type, and what they cost in AP.
class ErrorTable : public QTreeWidget {
  Q_OBJECT

 public:
  explicit ErrorTable(QWidget* parent = nullptr);

  void setErrors(const std::array<coco::ErrorCosts, 2>& both);

 Q_SIGNALS:
  /// By a click or Return in a column of A (0) or B (1); else of the one with more.
  void errorChosen(int side, lockstep::coco::ErrorType type);

 private:
  void addRow(const QString& name, const QString& toolTip, const coco::ErrorCost& first,
              const coco::ErrorCost& second);
  static void addLinks(QTreeWidgetItem* item);
  void choose(QTreeWidgetItem* item, int column);
};

}  // namespace lockstep::widgets
