#include "widgets/comparison/roomy_delegate.h"

#include <algorithm>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kBesidePx = 10, kRoomyRowPx = 24;

}  // namespace

QSize RoomyDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QSize text = QStyledItemDelegate::sizeHint(option, index);
  return {text.width() + scaledPx(kBesidePx), std::max(text.height(), scaledPx(kRoomyRowPx))};
}

void RoomyDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (index.data(kLinkRole).toBool()) {
    option->font.setUnderline(true);
    for (const auto role : {QPalette::Text, QPalette::HighlightedText})
      option->palette.setColor(role, currentTheme().accent);
  }
  const QVariant shorter = index.data(kShortTextRole);
  if (!shorter.isValid() || option->rect.width() <= 0) return;
  const int room = option->rect.width() - scaledPx(kBesidePx);
  if (option->fontMetrics.horizontalAdvance(option->text) <= room) return;
  option->text = shorter.toString();
  option->textElideMode = Qt::ElideLeft;
}

}  // namespace lockstep::widgets
