#include "widgets/comparison/recall_plot.h"

#include <QKeyEvent>
#include <QLineF>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/recall_axes.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// A click further from both curves means no point.
constexpr int kReachPx = 40;
constexpr int kSecondStyle = 1;

QPointF valueOf(const coco::CurvePoint& point) { return {point.recall, point.precision}; }

QPen penOf(std::size_t side, const Theme& theme) {
  QPen pen(runStyle(side == 0 ? 0 : kSecondStyle, theme).color, 1.8);
  if (side == 1) pen.setDashPattern({5, 2.5});
  return pen;
}

}  // namespace

RecallPlot::RecallPlot(QWidget* parent) : QWidget(parent) {
  setMinimumSize(scaledPx(160), scaledPx(120));
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Precision–recall curves of A and B"));
}

void RecallPlot::setCurves(std::array<Points, 2> curves, double scoreThreshold) {
  curves_ = std::move(curves);
  scoreThreshold_ = scoreThreshold;
  point_ = -1;
  setToolTip({});
  update();
}

const coco::CurvePoint* RecallPlot::chosen() const {
  return point_ < 0
             ? nullptr
             : &curves_.at(static_cast<std::size_t>(side_))[static_cast<std::size_t>(point_)];
}

QString RecallPlot::spokenValue() const {
  const coco::CurvePoint* point = chosen();
  if (!point) return tr("no point is chosen");
  const QLocale locale;
  return tr("%1: precision %2, recall %3 at score %4")
      .arg(side_ == 0 ? tr("A") : tr("B"), locale.toString(point->precision, 'f', 3),
           locale.toString(point->recall, 'f', 3), locale.toString(point->score, 'f', 3));
}

void RecallPlot::choose(int side, std::size_t point) {
  side_ = side;
  point_ = static_cast<int>(point);
  setToolTip(spokenValue());
  announce(this, *this);
  update();
}

double RecallPlot::distanceTo(std::size_t side, std::size_t point, QPointF place) const {
  return QLineF(placeInRecallArea(recallArea(rect()), valueOf(curves_.at(side)[point])), place)
      .length();
}

/// The curve must not be empty.
std::size_t RecallPlot::nearestIn(std::size_t side, QPointF place) const {
  std::size_t nearest = 0;
  for (std::size_t i = 1; i < curves_.at(side).size(); ++i)
    if (distanceTo(side, i, place) < distanceTo(side, nearest, place)) nearest = i;
  return nearest;
}

void RecallPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  double best = scaledPx(kReachPx);
  int side = -1;
  std::size_t point = 0;
  for (std::size_t own = 0; own < curves_.size(); ++own) {
    if (curves_.at(own).empty()) continue;
    const std::size_t nearest = nearestIn(own, event->position());
    const double distance = distanceTo(own, nearest, event->position());
    if (distance >= best) continue;
    best = distance;
    side = static_cast<int>(own);
    point = nearest;
  }
  if (side < 0) return;
  choose(side, point);
  Q_EMIT pointChosen(side_, chosen()->score);
}

void RecallPlot::keyPressEvent(QKeyEvent* event) {
  const bool isAlong = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
  const bool isAcross = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
  const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (isReturn && chosen()) {
    Q_EMIT pointChosen(side_, chosen()->score);
    return;
  }
  const bool isOther = chosen() ? isAcross : curves_.at(static_cast<std::size_t>(side_)).empty();
  const int side = isOther ? 1 - side_ : side_;
  const Points& curve = curves_.at(static_cast<std::size_t>(side));
  if ((!isAlong && !isAcross) || curve.empty()) return QWidget::keyPressEvent(event);
  if (!chosen()) return choose(side, 0);
  if (isAcross) {
    const QPointF here = placeInRecallArea(recallArea(rect()), valueOf(*chosen()));
    return choose(side, nearestIn(static_cast<std::size_t>(side), here));
  }
  const int next = point_ + (event->key() == Qt::Key_Left ? -1 : 1);
  choose(side, static_cast<std::size_t>(std::clamp(next, 0, static_cast<int>(curve.size()) - 1)));
}

void RecallPlot::paintCurve(QPainter& painter, const QRectF& area, std::size_t side) const {
  const Points& curve = curves_.at(side);
  if (curve.empty()) return;
  const Theme& theme = currentTheme();
  QPainterPath path(placeInRecallArea(area, valueOf(curve.front())));
  for (const coco::CurvePoint& point : curve) {
    const QPointF place = placeInRecallArea(area, valueOf(point));
    if ((place - path.currentPosition()).manhattanLength() >= 1) path.lineTo(place);
  }
  painter.setPen(penOf(side, theme));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
  painter.drawText(path.currentPosition() + QPointF(-12, side == 0 ? -5 : 13),
                   side == 0 ? tr("A") : tr("B"));
  const auto below = std::ranges::find_if(
      curve, [this](const coco::CurvePoint& point) { return point.score < scoreThreshold_; });
  painter.setPen(QPen(penOf(side, theme).color(), 1.5));
  painter.setBrush(theme.card);
  if (below != curve.begin())
    painter.drawEllipse(placeInRecallArea(area, valueOf(*std::prev(below))), 4, 4);
}

void RecallPlot::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF area = recallArea(rect());
  paintRecallAxes(painter, area);
  for (std::size_t side = 0; side < curves_.size(); ++side) paintCurve(painter, area, side);
  if (const coco::CurvePoint* point = chosen()) {
    painter.setPen(QPen(theme.text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(placeInRecallArea(area, valueOf(*point)), 6, 6);
  }
  if (!hasFocus()) return;
  painter.setPen(QPen(theme.accent, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

}  // namespace lockstep::widgets
