#include "widgets/comparison/rotated_header.h"

#include <QPainter>
#include <algorithm>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPaddingPx = 6, kMostPx = 110;

}  // namespace

RotatedHeader::RotatedHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
  setSectionsClickable(true);
}

QString RotatedHeader::textOf(int section) const {
  return model()->headerData(section, Qt::Horizontal).toString();
}

QSize RotatedHeader::sectionSizeFromContents(int section) const {
  const QFontMetrics metrics(font());
  const int padding = scaledPx(kPaddingPx);
  const int length = metrics.horizontalAdvance(textOf(section)) + 2 * padding;
  return {metrics.height() + padding, std::min(length, scaledPx(kMostPx))};
}

void RotatedHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  const int padding = scaledPx(kPaddingPx);
  painter->save();
  painter->fillRect(rect, currentTheme().panel);
  painter->setPen(currentTheme().divider);
  painter->drawLine(rect.topRight(), rect.bottomRight());
  painter->setPen(currentTheme().textMuted);
  painter->setFont(font());
  painter->translate(rect.bottomLeft());
  painter->rotate(-90);
  const QRect upwards(padding, 0, rect.height() - 2 * padding, rect.width());
  const QString text =
      QFontMetrics(font()).elidedText(textOf(section), Qt::ElideRight, upwards.width());
  painter->drawText(upwards, Qt::AlignLeft | Qt::AlignVCenter, text);
  painter->restore();
}

}  // namespace lockstep::widgets
