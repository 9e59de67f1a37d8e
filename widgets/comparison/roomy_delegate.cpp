#include "widgets/comparison/roomy_delegate.h"

#include <algorithm>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kBesidePx = 10, kRowPx = 24;

}  // namespace

QSize RoomyDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QSize text = QStyledItemDelegate::sizeHint(option, index);
  return {text.width() + scaledPx(kBesidePx), std::max(text.height(), scaledPx(kRowPx))};
}

}  // namespace lockstep::widgets
