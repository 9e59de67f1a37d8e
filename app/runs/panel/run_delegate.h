#pragma once

#include <QStyledItemDelegate>

#include "widgets/theme.h"

namespace lockstep::app {

/// Paints one run of the list (colour and dash, name, state, progress while it runs, best metric),
/// a cell of another column, or the title of a section.
class RunDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  static void paintRun(QPainter* painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index, const widgets::Theme& theme);
};

}  // namespace lockstep::app
