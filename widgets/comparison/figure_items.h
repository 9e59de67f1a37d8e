#pragma once

#include <QTreeWidgetItem>

#include "widgets/comparison/compared_figure.h"

namespace lockstep::widgets {

/// A table whose first column takes what the others leave.
QTreeWidget* newComparisonTable(const QString& name, const QStringList& columns);

/// A row with the figures of A and B. Sorts numbers as numbers, missing ones last.
class FigureItem : public QTreeWidgetItem {
 public:
  using QTreeWidgetItem::QTreeWidgetItem;
  /// `figure`: NaN is missing.
  void setNumber(int column, const QString& text, double figure);
  /// A, B and B - A from this column on; the name is in the first one.
  void setFigure(int column, const ComparedFigure& figure);
  bool operator<(const QTreeWidgetItem& other) const override;
};

}  // namespace lockstep::widgets
