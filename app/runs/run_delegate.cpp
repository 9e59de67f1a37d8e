#include "app/runs/run_delegate.h"

#include <QPainter>
#include <cmath>

#include "app/models/metric_text.h"
#include "app/models/run_list_model.h"
#include "app/runs/run_state_color.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kRowPx = 50, kSamplePx = 22, kLeftPx = 12, kTextLeftPx = 44;

void paintBackground(QPainter* painter, const QRectF& row, const QStyleOptionViewItem& option,
                     const widgets::Theme& theme) {
  const bool selected = option.state & QStyle::State_Selected;
  if (!selected && !(option.state & QStyle::State_MouseOver)) return;
  painter->setPen(Qt::NoPen);
  painter->setBrush(selected ? theme.selection : theme.hover);
  painter->drawRoundedRect(row, 6, 6);
  if (option.state & QStyle::State_HasFocus && option.state & QStyle::State_KeyboardFocusChange) {
    painter->setPen(QPen(theme.accent, 1));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(row.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  }
}

void paintProgress(QPainter* painter, const QRectF& bar, double fraction, const QColor& color,
                   const widgets::Theme& theme) {
  painter->setPen(Qt::NoPen);
  painter->setBrush(theme.cardBorder);
  painter->drawRoundedRect(bar, 2, 2);
  painter->setBrush(color);
  painter->drawRoundedRect(
      QRectF(bar.left(), bar.top(), bar.width() * std::clamp(fraction, 0.0, 1.0), bar.height()), 2,
      2);
}

}  // namespace

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  const widgets::Theme& theme = widgets::currentTheme();
  const QRectF row = QRectF(option.rect).adjusted(6, 1, -6, -1);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  paintBackground(painter, row, option, theme);

  const widgets::RunStyle style =
      widgets::runStyle(index.data(RunListModel::StyleIndexRole).toInt(), theme);
  QPen pen(style.color, 3, Qt::SolidLine, Qt::FlatCap);
  if (!style.dashes.isEmpty()) {
    QVector<qreal> dashes = style.dashes;
    for (qreal& dash : dashes) dash *= 0.62;  // the line is thicker here than in the plots
    pen.setDashPattern(dashes);
  }
  painter->setPen(pen);
  const double nameMiddle = row.top() + 16, stateMiddle = row.top() + 34;
  painter->drawLine(QPointF(row.left() + kLeftPx, nameMiddle),
                    QPointF(row.left() + kLeftPx + kSamplePx, nameMiddle));

  const double left = row.left() + kTextLeftPx, right = row.right() - 10;
  const QFont startFont = widgets::interfaceFont(11);
  const QString start = index.data(RunListModel::StartTextRole).toString();
  painter->setFont(startFont);
  painter->setPen(theme.textMuted);
  painter->drawText(QRectF(left, nameMiddle - 9, right - left, 18),
                    Qt::AlignVCenter | Qt::AlignRight, start);
  const double nameRight =
      start.isEmpty() ? right : right - QFontMetrics(startFont).horizontalAdvance(start) - 10;

  const QFont nameFont = widgets::interfaceFont(13, QFont::Medium);
  painter->setFont(nameFont);
  painter->setPen(theme.text);
  painter->drawText(
      QRectF(left, nameMiddle - 9, nameRight - left, 18), Qt::AlignVCenter,
      QFontMetrics(nameFont).elidedText(index.data(RunListModel::NameRole).toString(),
                                        Qt::ElideMiddle, static_cast<int>(nameRight - left)));

  const QFont metricFont = widgets::monoFont(11);
  const QString metric = bestText(index.data(RunListModel::BestMetricRole).toString(),
                                  index.data(RunListModel::BestValueRole));
  painter->setFont(metricFont);
  painter->setPen(theme.textMuted);
  painter->drawText(QRectF(left, stateMiddle - 9, right - left, 18),
                    Qt::AlignVCenter | Qt::AlignRight, metric);

  const auto state =
      index.data(RunListModel::StateRole).value<base::OpenEnum<protocol::RunState>>();
  const QString stateText = QString::fromStdString(state.text());
  const QFont stateFont = widgets::interfaceFont(12);
  painter->setFont(stateFont);
  painter->setPen(stateColor(state, theme));
  painter->drawText(QRectF(left, stateMiddle - 9, right - left, 18), Qt::AlignVCenter, stateText);

  const double barLeft = left + QFontMetrics(stateFont).horizontalAdvance(stateText) + 10;
  const double barRight = right - QFontMetrics(metricFont).horizontalAdvance(metric) - 10;
  const double steps = index.data(RunListModel::MaxStepsRole).toDouble();
  if (protocol::isLive(state) && steps > 0 && barRight - barLeft > 16)
    paintProgress(painter, QRectF(barLeft, stateMiddle - 2, barRight - barLeft, 4),
                  index.data(RunListModel::StepRole).toDouble() / steps, stateColor(state, theme),
                  theme);
  painter->restore();
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return {180, kRowPx};
}

}  // namespace lockstep::app
