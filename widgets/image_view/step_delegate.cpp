#include "widgets/image_view/step_delegate.h"

#include <QPainter>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kRowPx = 26, kEdgePx = 8;

}  // namespace

void StepDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  painter->save();
  painter->setFont(monoFont(11));
  painter->setPen(currentTheme().textMuted);
  painter->drawText(option.rect.adjusted(0, 0, -scaledPx(kEdgePx), 0),
                    Qt::AlignRight | Qt::AlignVCenter, index.data(kCountRole).toString());
  painter->restore();
}

QSize StepDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return {QStyledItemDelegate::sizeHint(option, index).width(), scaledPx(kRowPx)};
}

}  // namespace lockstep::widgets
