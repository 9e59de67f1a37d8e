#pragma once

#include <QStyledItemDelegate>

namespace lockstep::app {

/// Paints one run of the list: colour and dash, name, state, progress while it runs, best metric.
class RunDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace lockstep::app
