#include "app/runs/panel/run_delegate.h"

#include <QPainter>
#include <cmath>

#include "app/runs/list/run_list_model.h"
#include "app/runs/list/run_tree.h"
#include "app/runs/panel/run_state_color.h"
#include "app/text/metric_text.h"
#include "widgets/curves/number_text.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kRowPx = 50, kLinePx = 18, kSamplePx = 22, kLeftPx = 12, kTextLeftPx = 44;

constexpr int kCellPaddingPx = 8, kGapPx = 10;
constexpr double kDetailFraction = 0.5;  ///< of a line's room, at most

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

/// Behind the name: when it was started, among runs of the same name; its tags; whether it is
/// pinned.
QString detailOf(const QModelIndex& index) {
  QStringList parts = index.data(RunListModel::TagsRole).toStringList();
  if (const QString start = index.data(RunListModel::StartTextRole).toString(); !start.isEmpty())
    parts.prepend(start);
  if (index.data(RunListModel::PinnedRole).toBool()) parts.append(QObject::tr("pinned"));
  return parts.join(QStringLiteral(" · "));
}

/// `v Queue` and the number of its runs.
void paintSection(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                  const widgets::Theme& theme) {
  const QRectF row = QRectF(option.rect).adjusted(kLeftPx, 0, -kLeftPx, -6);
  const bool isOpen = option.state & QStyle::State_Open;
  const QPointF tip(row.left() + 4, row.bottom() - 9);
  painter->setPen(QPen(theme.textMuted, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter->drawPolyline(
      isOpen ? QPolygonF({tip - QPointF(4, 2), tip + QPointF(0, 2), tip + QPointF(4, -2)})
             : QPolygonF({tip - QPointF(2, 4), tip + QPointF(2, 0), tip + QPointF(-2, 4)}));
  painter->setFont(widgets::interfaceFont(12, QFont::DemiBold));
  painter->setPen(option.state & QStyle::State_HasFocus ? theme.accent : theme.textMuted);
  painter->drawText(
      row.adjusted(18, 0, 0, 0), Qt::AlignBottom,
      painter->fontMetrics().elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle,
                                        static_cast<int>(row.width()) - 18));
}

/// A cell beside the run's own.
void paintCell(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
               const widgets::Theme& theme) {
  paintBackground(painter, QRectF(option.rect).adjusted(1, 1, -1, -1), option, theme);
  const QFont font = widgets::interfaceFont(12);
  const QRect cell = option.rect.adjusted(kCellPaddingPx, 0, -kCellPaddingPx, 0);
  painter->setFont(font);
  painter->setPen(theme.text);
  painter->drawText(cell, Qt::AlignVCenter,
                    QFontMetrics(font).elidedText(index.data(Qt::DisplayRole).toString(),
                                                  Qt::ElideRight, cell.width()));
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

/// The best figure, where the row is narrow without its name, or none. Other programs' runs do not
/// tell the list their best.
QString fittingMetric(const QModelIndex& index, const QFont& font, double widthPx) {
  const QVariant value = index.data(RunListModel::BestValueRole);
  if (!value.isValid() && !index.data(RunListModel::ProgramRole).toString().isEmpty()) return {};
  const QString named = bestText(index.data(RunListModel::BestMetricRole).toString(), value);
  const QString bare = value.isValid() ? widgets::rateText(value.toDouble()) : QString();
  const QFontMetricsF metrics(font);
  for (const QString& text : {named, bare})
    if (metrics.horizontalAdvance(text) <= widthPx) return text;
  return {};
}

/// `fork of r50 at step 400`
QString forkText(const QModelIndex& index) {
  const QString fork = index.data(RunListModel::ForkOfRole).toString();
  return fork.isEmpty() ? QString() : QObject::tr("fork of %1").arg(fork);
}

/// How far it is, what it is a fork of, and its best figure.
void paintState(QPainter* painter, const QModelIndex& index, const QRectF& line,
                const widgets::Theme& theme) {
  const QString stateText = index.data(RunListModel::StateTextRole).toString(),
                fork = forkText(index);
  const QFont stateFont = widgets::interfaceFont(12);
  const QFontMetrics stateMetrics(stateFont);
  const double stateRight = line.left() + stateMetrics.horizontalAdvance(stateText) + kGapPx;
  const int forkPx = std::min(stateMetrics.horizontalAdvance(fork),
                              static_cast<int>((line.right() - stateRight) * kDetailFraction));
  const double textRight = fork.isEmpty() ? stateRight : stateRight + forkPx + kGapPx;
  const QFont metricFont = widgets::monoFont(11);
  const QString metric = fittingMetric(index, metricFont, line.right() - textRight);
  painter->setFont(stateFont);
  painter->setPen(theme.textMuted);
  painter->drawText(line.adjusted(stateRight - line.left(), 0, 0, 0), Qt::AlignVCenter,
                    stateMetrics.elidedText(fork, Qt::ElideRight, forkPx));
  painter->setFont(metricFont);
  painter->setPen(theme.textMuted);
  painter->drawText(line, Qt::AlignVCenter | Qt::AlignRight, metric);

  const auto state =
      index.data(RunListModel::StateRole).value<base::OpenEnum<protocol::RunState>>();
  painter->setFont(stateFont);
  const bool hasVanished = index.data(RunListModel::VanishedRole).toBool();
  painter->setPen(hasVanished ? theme.error : stateColor(state, theme));
  painter->drawText(line, Qt::AlignVCenter, stateText);

  const double barRight =
      line.right() - QFontMetrics(metricFont).horizontalAdvance(metric) - kGapPx;
  const double steps = index.data(RunListModel::MaxStepsRole).toDouble();
  if (protocol::isLive(state) && steps > 0 && barRight - textRight > 16)
    paintProgress(painter, QRectF(textRight, line.center().y() - 2, barRight - textRight, 4),
                  index.data(RunListModel::StepRole).toDouble() / steps, stateColor(state, theme),
                  theme);
}

}  // namespace

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  const widgets::Theme& theme = widgets::currentTheme();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (index.data(RunTree::SectionSizeRole).isValid()) {
    paintSection(painter, option, index, theme);
  } else if (index.column() > 0) {
    paintCell(painter, option, index, theme);
  } else {
    paintRun(painter, option, index, theme);
  }
  painter->restore();
}

void RunDelegate::paintRun(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index, const widgets::Theme& theme) {
  const QRectF row = QRectF(option.rect).adjusted(6, 1, -6, -1);
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
  const double nameMiddle = row.top() + widgets::scaledPx(16);
  const double stateMiddle = row.top() + widgets::scaledPx(34);
  const double linePx = widgets::scaledPx(kLinePx);
  painter->drawLine(QPointF(row.left() + kLeftPx, nameMiddle),
                    QPointF(row.left() + kLeftPx + kSamplePx, nameMiddle));

  const double left = row.left() + kTextLeftPx, right = row.right() - 10;
  const QFont detailFont = widgets::interfaceFont(11);
  const QString detail = detailOf(index);
  const QString shownDetail =
      QFontMetrics(detailFont)
          .elidedText(detail, Qt::ElideRight, static_cast<int>((right - left) * kDetailFraction));
  painter->setFont(detailFont);
  painter->setPen(theme.textMuted);
  painter->drawText(QRectF(left, nameMiddle - linePx / 2, right - left, linePx),
                    Qt::AlignVCenter | Qt::AlignRight, shownDetail);
  const double nameRight =
      detail.isEmpty() ? right
                       : right - QFontMetrics(detailFont).horizontalAdvance(shownDetail) - 10;

  const QFont nameFont = widgets::interfaceFont(13, QFont::Medium);
  painter->setFont(nameFont);
  painter->setPen(theme.text);
  painter->drawText(
      QRectF(left, nameMiddle - linePx / 2, nameRight - left, linePx), Qt::AlignVCenter,
      QFontMetrics(nameFont).elidedText(index.data(RunListModel::NameRole).toString(),
                                        Qt::ElideMiddle, static_cast<int>(nameRight - left)));

  paintState(painter, index, {left, stateMiddle - linePx / 2, right - left, linePx}, theme);
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  if (index.column() == 0) return {180, widgets::scaledPx(kRowPx)};
  const QFontMetrics metrics(widgets::interfaceFont(12));
  const int text = metrics.horizontalAdvance(index.data(Qt::DisplayRole).toString());
  return {text + 2 * kCellPaddingPx, widgets::scaledPx(kRowPx)};
}

}  // namespace lockstep::app
