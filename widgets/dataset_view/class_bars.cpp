#include "widgets/dataset_view/class_bars.h"

#include <QFontMetrics>
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/curves/number_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kGapPx = 8, kBetweenPx = 6, kMostNamePx = 140;

QFont nameFont() { return interfaceFont(12); }
QFont countFont() { return monoFont(11); }

}  // namespace

int ClassBars::rowPx() const { return QFontMetrics(nameFont()).height() + kBetweenPx; }

QRectF ClassBars::placeOf(int bar) const { return QRectF(0, bar * rowPx(), width(), rowPx()); }

QSize ClassBars::sizeHint() const { return {240, static_cast<int>(bars().size()) * rowPx()}; }

void ClassBars::handleBars() {
  const QFontMetrics names(nameFont()), counts(countFont());
  nameWidthPx_ = countWidthPx_ = 0;
  for (const Bar& bar : bars()) {
    nameWidthPx_ = std::max(nameWidthPx_, names.horizontalAdvance(bar.name) + 2);
    countWidthPx_ = std::max(countWidthPx_, counts.horizontalAdvance(countText(bar.count)));
  }
  nameWidthPx_ = std::min(nameWidthPx_, scaledPx(kMostNamePx));
  setFixedHeight(std::max(1, sizeHint().height()));
}

void ClassBars::showCursor(int bar) { Q_EMIT cursorMoved(placeOf(bar).toRect()); }

void ClassBars::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  const Theme& theme = currentTheme();
  const int first = std::max(0, event->rect().top() / rowPx());
  const int end = std::min(static_cast<int>(bars().size()), event->rect().bottom() / rowPx() + 1);
  const double left = nameWidthPx_ + kGapPx, right = width() - countWidthPx_ - kGapPx;
  for (int i = first; i < end; ++i) {
    const Bar& bar = bars()[static_cast<std::size_t>(i)];
    const QRectF row = placeOf(i);
    painter.setFont(nameFont());
    painter.setPen(i == chosen() ? theme.text : theme.textMuted);
    painter.drawText(QRectF(0, row.top(), nameWidthPx_, row.height()),
                     Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetrics(nameFont()).elidedText(bar.name, Qt::ElideRight, nameWidthPx_));
    const double share = static_cast<double>(bar.count) / static_cast<double>(mostCount());
    const double length = std::max(bar.count > 0 ? 1.0 : 0.0, share * std::max(0.0, right - left));
    painter.fillRect(QRectF(left, row.top() + 3, length, row.height() - 6), colorOf(i));
    painter.setFont(countFont());
    painter.setPen(theme.text);
    painter.drawText(QRectF(right + kGapPx, row.top(), countWidthPx_, row.height()),
                     Qt::AlignVCenter | Qt::AlignRight, countText(bar.count));
  }
  paintCursor(painter);
}

}  // namespace lockstep::widgets
