#pragma once

#include <QStyledItemDelegate>

namespace lockstep::widgets {

/// Paints an entry of a list with a figure at its right end.
class StepDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  static constexpr int kCountRole = Qt::UserRole;  ///< QString

  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace lockstep::widgets
