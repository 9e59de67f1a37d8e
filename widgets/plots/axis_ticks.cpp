#include "widgets/plots/axis_ticks.h"

#include <qcustomplot.h>

#include <cmath>

#include "widgets/plots/number_text.h"

namespace lockstep::widgets {
namespace {

/// Round distances in the unit of the axis; labels as readings have them.
class XTicker : public QCPAxisTicker {
 public:
  explicit XTicker(XAxis kind) : kind_(kind) {
    setTickCount(6);
    setTickStepStrategy(tssReadability);
  }

 protected:
  double getTickStep(const QCPRange& range) override {
    if (kind_ == XAxis::Step) return step_ = std::max(1.0, QCPAxisTicker::getTickStep(range));
    if (kind_ == XAxis::Epoch) return step_ = QCPAxisTicker::getTickStep(range);
    const double wanted = range.size() / tickCount();
    for (double step : {1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0,
                        3600.0, 7200.0, 14400.0, 21600.0, 43200.0})
      if (step >= wanted) return step_ = step;
    return step_ = 86400.0 * std::ceil(wanted / 86400.0);
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
    return std::abs(tick) < 1e-12 ? QStringLiteral("0") : QString::number(tick, 'g', 4);
  }
};

/// 1, 2 and 5 times the powers of ten where few powers are in view, else the powers.
class LogTicker : public QCPAxisTicker {
 protected:
  QVector<double> createTickVector(double, const QCPRange& range) override {
    QVector<double> ticks;
    if (range.lower <= 0) return ticks;
    const double decades = std::log10(range.upper / range.lower);
    for (double power = std::floor(std::log10(range.lower));
         power <= std::ceil(std::log10(range.upper)); ++power)
      for (double factor : {1.0, 2.0, 5.0})
        if (factor == 1 || decades < 2.5) ticks.append(factor * std::pow(10.0, power));
    return ticks;
  }
  double getTickStep(const QCPRange& range) override { return range.size(); }
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return QString::number(tick, 'g', 4);
  }
};

}  // namespace

void setXTicks(QCPAxis* axis, XAxis kind, bool log) {
  axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (log) {
    axis->setTicker(QSharedPointer<LogTicker>::create());
  } else {
    axis->setTicker(QSharedPointer<XTicker>::create(kind));
  }
}

void setYTicks(QCPAxis* axis, bool log) {
  axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (log) {
    axis->setTicker(QSharedPointer<LogTicker>::create());
  } else {
    axis->setTicker(QSharedPointer<ValueTicker>::create());
  }
}

}  // namespace lockstep::widgets
