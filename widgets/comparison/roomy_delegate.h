#pragma once

#include <QStyledItemDelegate>

namespace lockstep::widgets {

/// Of a cell: true: a click or Return on it leads somewhere.
constexpr int kLinkRole = Qt::UserRole + 2;
/// Of a cell: what is shown where its text does not fit; its end stays in sight.
constexpr int kShortTextRole = Qt::UserRole + 3;

/// Rows of a table that is read line by line: with room around their text. Links are underlined.
class RoomyDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace lockstep::widgets
