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

/// Ticks at round steps, epochs or times, with labels like those of the cursor's readings.
class XTicker : public QCPAxisTicker {
 public:
  explicit XTicker(XAxis kind) : kind_(kind) {
    setTickCount(6);
    setTickStepStrategy(tssReadability);
  }

 protected:
  double getTickStep(const QCPRange& range) override {
    step_ = kind_ == XAxis::Epoch ? QCPAxisTicker::getTickStep(range)
                                  : tickStep(kind_, toPair(range), tickCount());
    return step_;
  }
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return xText(kind_, tick, step_);
  }

 private:
  XAxis kind_;
  double step_ = 1;
};

class ValueTicker : public QCPAxisTicker {
 public:
  ValueTicker() {
    setTickCount(5);
    setTickStepStrategy(tssReadability);
  }

 protected:
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return std::abs(tick) < 1e-12 ? QStringLiteral("0") : valueTickText(tick);
  }
};

class LogTicker : public QCPAxisTicker {
 public:
  /// `x`: kind of the x axis; std::nullopt: a y axis.
  explicit LogTicker(std::optional<XAxis> x) : x_(x) {}

 protected:
  QVector<double> createTickVector(double, const QCPRange& range) override {
    const std::vector<double> ticks = logTicks(toPair(range));
    return {ticks.begin(), ticks.end()};
  }
  double getTickStep(const QCPRange& range) override { return range.size(); }
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return x_ ? xText(*x_, tick) : valueTickText(tick);
  }

 private:
  std::optional<XAxis> x_;
};

/// `x`: kind of the x axis; std::nullopt: a y axis. `linear`: the ticker of a linear scale.
void setTicks(QCPAxis* axis, std::optional<XAxis> x, bool log,
              QSharedPointer<QCPAxisTicker> linear) {
  axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  axis->setTicker(log ? QSharedPointer<QCPAxisTicker>(new LogTicker(x)) : linear);
}

}  // namespace

void setXTicks(QCPAxis* axis, XAxis kind, bool log) {
  setTicks(axis, kind, log, QSharedPointer<XTicker>::create(kind));
}

void setYTicks(QCPAxis* axis, bool log) {
  setTicks(axis, std::nullopt, log, QSharedPointer<ValueTicker>::create());
}

}  // namespace lockstep::widgets
