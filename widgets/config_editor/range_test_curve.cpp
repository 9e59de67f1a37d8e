#include "widgets/config_editor/range_test_curve.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kLossLabels = 4;
constexpr int kLeftPx = 44, kRightPx = 12, kTopPx = 22, kBottomPx = 22;
/// Losses beyond this many times the lowest are cut off: a diverging one would hide the rest.
constexpr double kShownTimesLowest = 3;

/// 1, 2 or 5 times a power of ten, at least `step`.
double roundStep(double step) {
  const double decade = std::pow(10.0, std::floor(std::log10(step)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * decade >= step) return times * decade;
  return 10 * decade;
}

QString axisNumber(double value) { return QString::number(value, 'g', 3); }

}  // namespace

RangeTestCurve::RangeTestCurve(QWidget* parent) : QWidget(parent) {
  setMinimumSize(320, 180);
  setAccessibleName(tr("Loss over learning rate"));
}

void RangeTestCurve::setSteps(std::vector<config::RangeTestStep> steps) {
  steps_ = std::move(steps);
  suggestion_ = config::suggestLearningRates(steps_);
  if (!steps_.empty()) {
    lowRate_ = steps_.front().learningRate;
    highRate_ = std::max<double>(steps_.back().learningRate, lowRate_ * 10);
    double lowest = INFINITY, highest = 0;
    for (const config::RangeTestStep& step : steps_) {
      if (!std::isfinite(step.smoothedLoss)) continue;
      lowest = std::min<double>(lowest, step.smoothedLoss);
      highest = std::max<double>(highest, step.smoothedLoss);
    }
    if (!std::isfinite(lowest)) lowest = 0;
    highLoss_ = std::max(std::min(highest, lowest * kShownTimesLowest), lowest + 1e-6) * 1.05;
  }
  update();
}

QRectF RangeTestCurve::plotRect() const {
  return QRectF(rect()).adjusted(scaledPx(kLeftPx), scaledPx(kTopPx), -kRightPx,
                                 -scaledPx(kBottomPx));
}

double RangeTestCurve::xOf(double learningRate) const {
  const QRectF plot = plotRect();
  const double share = std::log(learningRate / lowRate_) / std::log(highRate_ / lowRate_);
  return plot.left() + share * plot.width();
}

double RangeTestCurve::yOf(double loss) const {
  const QRectF plot = plotRect();
  return plot.bottom() - loss / highLoss_ * plot.height();
}

void RangeTestCurve::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(interfaceFont(11));
  paintAxes(painter);
  painter.save();
  painter.setClipRect(plotRect());
  paintLosses(painter);
  painter.restore();
  paintSuggestion(painter);
}

void RangeTestCurve::paintAxes(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QRectF plot = plotRect();
  const auto label = [&](const QRectF& box, int flags, const QString& text) {
    painter.setPen(theme.textMuted);
    painter.drawText(box, flags, text);
  };
  const int first = static_cast<int>(std::ceil(std::log10(lowRate_) - 1e-6));
  for (int decade = first; std::pow(10.0, decade) <= highRate_ * 1.0001; ++decade) {
    const double x = xOf(std::pow(10.0, decade));
    painter.setPen(theme.divider);
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    label({x - 30, plot.bottom() + 4, 60, scaledPx(kBottomPx) - 4.0},
          Qt::AlignHCenter | Qt::AlignTop, axisNumber(std::pow(10.0, decade)));
  }
  const double between = roundStep(highLoss_ / kLossLabels);
  for (double loss = 0; loss <= highLoss_; loss += between) {
    const double y = yOf(loss);
    painter.setPen(theme.divider);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    label({0, y - 9, scaledPx(kLeftPx) - 6.0, 18}, Qt::AlignRight | Qt::AlignVCenter,
          axisNumber(loss));
  }
}

void RangeTestCurve::paintLosses(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const RunStyle style = runStyle(0, theme);
  const auto draw = [&](auto lossOf, const QColor& color, double width) {
    QPainterPath path;
    bool isBegun = false;
    for (const config::RangeTestStep& step : steps_) {
      const double loss = lossOf(step);
      if (!std::isfinite(loss)) {
        isBegun = false;
        continue;
      }
      const QPointF point(xOf(step.learningRate), yOf(loss));
      isBegun ? path.lineTo(point) : path.moveTo(point);
      isBegun = true;
    }
    painter.setPen(QPen(color, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
  };
  QColor faint = style.color;
  faint.setAlphaF(0.35F);
  draw([](const auto& step) { return step.loss; }, faint, 1.4);
  draw([](const auto& step) { return step.smoothedLoss; }, style.color, 2);
}

void RangeTestCurve::paintSuggestion(QPainter& painter) const {
  if (!suggestion_) return;
  const Theme& theme = currentTheme();
  const QRectF plot = plotRect();
  const auto mark = [&](double rate, const QString& text, const QColor& color, Qt::PenStyle pen) {
    const double x = xOf(rate);
    painter.setPen(QPen(color, 1.6, pen));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    const double width = painter.fontMetrics().horizontalAdvance(text) + 4;
    const double left = std::clamp(x - width / 2, plot.left(), plot.right() - width);
    painter.drawText(QRectF(left, 0, width, scaledPx(kTopPx) - 4), Qt::AlignCenter, text);
  };
  if (suggestion_->diverges) mark(*suggestion_->diverges, tr("diverges"), theme.error, Qt::DotLine);
  mark(suggestion_->baseLr, QStringLiteral("base_lr %1").arg(axisNumber(suggestion_->baseLr)),
       theme.good, Qt::SolidLine);
}

}  // namespace lockstep::widgets
