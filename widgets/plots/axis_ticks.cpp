#include "widgets/plots/axis_ticks.h"

#include <qcustomplot.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/curves/number_text.h"
#include "widgets/curves/tick_steps.h"

namespace lockstep::widgets {
namespace {

std::pair<double, double> toPair(const QCPRange& range) { return {range.lower, range.upper}; }

/// Ticks at round steps, epochs, times or values, with labels like those of the cursor's readings.
class RoundTicker : public QCPAxisTicker {
 public:
  /// `x`: kind of the x axis; std::nullopt: a y axis.
  explicit RoundTicker(std::optional<XAxis> x) : x_(x) {}

 protected:
  double getTickStep(const QCPRange& range) override {
    step_ =
        x_ ? tickStep(*x_, toPair(range), tickCount()) : valueTickStep(toPair(range), tickCount());
    return step_;
  }
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    if (x_) return xText(*x_, tick, step_);
    return std::abs(tick) < 1e-3 * step_ ? QStringLiteral("0") : valueTickText(tick);
  }

  std::optional<XAxis> x_;
  double step_ = 1;  ///< 0: ticks are not at equal distances
};

/// Ticks at powers of ten and between them or, where few of these are in view, at round values.
class LogTicker : public RoundTicker {
 public:
  using RoundTicker::RoundTicker;

 protected:
  QVector<double> createTickVector(double step, const QCPRange& range) override {
    const std::vector<double> ticks = logTicks(toPair(range), tickCount());
    if (ticks.empty()) return RoundTicker::createTickVector(step, range);
    step_ = 0;
    return {ticks.begin(), ticks.end()};
  }
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override {
    // Each label by its own size: 100, 20k.
    return step_ == 0 && x_ && *x_ != XAxis::Wall
               ? xText(*x_, tick, tick)
               : RoundTicker::getTickLabel(tick, locale, format, precision);
  }
};

void setTicks(QCPAxis* axis, std::optional<XAxis> x, bool log) {
  axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (log)
    axis->setTicker(QSharedPointer<LogTicker>::create(x));
  else
    axis->setTicker(QSharedPointer<RoundTicker>::create(x));
}

}  // namespace

void setXTicks(QCPAxis* axis, XAxis kind, bool log) { setTicks(axis, kind, log); }

void setYTicks(QCPAxis* axis, bool log) { setTicks(axis, std::nullopt, log); }

}  // namespace lockstep::widgets
