#pragma once

#include <QStyledItemDelegate>

namespace lockstep::widgets {

/// Rows of a table that is read line by line: with room around their text.
class RoomyDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace lockstep::widgets
