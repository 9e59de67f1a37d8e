#include "widgets/config_editor/learning_rate_curve.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "engine/config/learning_rate_schedule.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPoints = 400;
constexpr int kLabelPx = 10, kLabelGapPx = 6;
constexpr double kLabelledFractions[] = {0.0, 0.5, 1.0};  ///< of both axes

/// Steps at which the curve is sampled: evenly, and on both sides of every jump and kink, unless
/// there are more of these than points that can be told apart.
std::vector<std::int64_t> stepsToDraw(const config::LearningRateSchedule& schedule,
                                      std::int64_t maxSteps) {
  std::vector<std::int64_t> steps;
  for (int i = 0; i <= kPoints; ++i) steps.push_back(1 + (maxSteps - 1) * i / kPoints);
  const std::vector<std::int64_t> corners = schedule.corners();
  if (corners.size() > kPoints) return steps;
  for (const std::int64_t corner : corners) {
    for (std::int64_t near : {corner, corner + 1}) {
      if (near >= 1 && near <= maxSteps) steps.push_back(near);
    }
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

/// The next of 1, 1.5, 2, 3, 4, 5, 6, 8, 10 times a power of ten, so that the top of the axis and
/// half of it have short labels.
double roundedUp(double value) {
  if (!(value > 0)) return 1;
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  for (double lead : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (value <= lead * decade * (1 + 1e-9)) return lead * decade;
  }
  return 10 * decade;
}

}  // namespace

LearningRateCurve::LearningRateCurve(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setMinimumSize(160, 90);
  setAccessibleName(tr("Learning rate"));
}

void LearningRateCurve::setPlan(const StepPlan& plan) {
  const std::int64_t maxSteps = std::max<std::int64_t>(1, plan.maxSteps());
  points_.clear();
  maxRate_ = 0;
  const config::LearningRateSchedule schedule(plan.experiment.solver);
  for (std::int64_t step : stepsToDraw(schedule, maxSteps)) {
    const double rate = schedule.learningRate(step);
    if (!std::isfinite(rate)) continue;
    points_.emplace_back(static_cast<double>(step), rate);
    maxRate_ = std::max(maxRate_, rate);
  }
  maxRate_ = roundedUp(maxRate_);
  maxSteps_ = static_cast<double>(maxSteps);
  inEpochs_ = !plan.isExact;
  update();
}

void LearningRateCurve::clear() {
  points_.clear();
  update();
}

QRectF LearningRateCurve::plotRect() const {
  const QFontMetricsF metrics(monoFont(kLabelPx));
  double widest = 0;
  for (const double fraction : kLabelledFractions)
    widest = std::max(widest, metrics.horizontalAdvance(rateText(fraction)));
  return QRectF(rect()).adjusted(std::max(44.0, widest + kLabelGapPx + 2), 8, -14, -20);
}

QString LearningRateCurve::rateText(double fraction) const {
  return QString::number(fraction * maxRate_, 'g', 3);
}

QString LearningRateCurve::stepText(double step) const {
  if (inEpochs_) return QString::number(step / StepPlan::kNominalEpoch, 'g', 3);
  return step >= 10000 ? QString::number(std::round(step / 100) / 10) % QStringLiteral("k")
                       : QString::number(std::llround(step));
}

void LearningRateCurve::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF plot = plotRect();
  if (points_.empty()) return;
  paintAxes(painter, plot);
  QPainterPath path;
  for (const QPointF& point : points_) {
    const QPointF at(plot.left() + point.x() / maxSteps_ * plot.width(),
                     plot.bottom() - point.y() / maxRate_ * plot.height());
    path.elementCount() == 0 ? path.moveTo(at) : path.lineTo(at);
  }
  painter.setPen(QPen(theme.accent, 1.8));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
  if (pointer_ >= 0) paintReadout(painter, plot);
}

void LearningRateCurve::paintAxes(QPainter& painter, const QRectF& plot) {
  const Theme& theme = currentTheme();
  painter.setFont(monoFont(kLabelPx));
  const QFontMetricsF metrics(painter.font());
  for (const double fraction : kLabelledFractions) {
    const double y = plot.bottom() - fraction * plot.height();
    painter.setPen(theme.grid);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(theme.textFaint);
    painter.drawText(QRectF(0, y - 8, plot.left() - kLabelGapPx, 16),
                     Qt::AlignRight | Qt::AlignVCenter, rateText(fraction));
    const QString step = stepText(fraction * maxSteps_) %
                         (inEpochs_ && fraction == 1.0 ? QStringLiteral(" epochs") : QString());
    // Centred under its tick, unless it would be cut at the edge.
    const double wide = std::ceil(metrics.horizontalAdvance(step));
    const double x = plot.left() + fraction * plot.width() - wide / 2;
    painter.drawText(QRectF(std::min(x, width() - wide), plot.bottom() + 4, wide, 14),
                     Qt::AlignCenter, step);
  }
}

/// Step and rate under the pointer.
void LearningRateCurve::paintReadout(QPainter& painter, const QRectF& plot) {
  const Theme& theme = currentTheme();
  const double step = 1 + pointer_ * (maxSteps_ - 1);
  const auto at = std::lower_bound(points_.begin(), points_.end(), step,
                                   [](const QPointF& point, double x) { return point.x() < x; });
  const QPointF point = at == points_.end() ? points_.back() : *at;
  const double x = plot.left() + point.x() / maxSteps_ * plot.width();
  painter.setPen(QPen(theme.textFaint, 1, Qt::DashLine));
  painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
  painter.setPen(QPen(theme.accent, 1.5));
  painter.setBrush(theme.card);
  painter.drawEllipse(QPointF(x, plot.bottom() - point.y() / maxRate_ * plot.height()), 3.5, 3.5);
  const QString text =
      stepText(point.x()) % QStringLiteral(": ") % QString::number(point.y(), 'g', 4);
  const QFontMetricsF metrics(painter.font());
  QRectF chip(0, 0, metrics.horizontalAdvance(text) + 10, metrics.height() + 4);
  chip.moveTopLeft(QPointF(std::min(x + 6, plot.right() - chip.width()), plot.top()));
  painter.setPen(theme.cardBorder);
  painter.setBrush(theme.field);
  painter.drawRoundedRect(chip, 3, 3);
  painter.setPen(theme.text);
  painter.drawText(chip, Qt::AlignCenter, text);
}

void LearningRateCurve::mouseMoveEvent(QMouseEvent* event) {
  const QRectF plot = plotRect();
  pointer_ = std::clamp((event->position().x() - plot.left()) / plot.width(), 0.0, 1.0);
  update();
}

void LearningRateCurve::leaveEvent(QEvent*) {
  pointer_ = -1;
  update();
}

}  // namespace lockstep::widgets
