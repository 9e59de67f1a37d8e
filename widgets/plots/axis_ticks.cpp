#include "widgets/plots/axis_ticks.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "widgets/curves/number_text.h"

namespace lockstep::widgets {
namespace {

constexpr int kWidestValue = 7;  ///< characters left of the plot

/// 0.00025, and 1.25e-4 where that would be too wide.
QString shortNumber(double value) {
  const QString plain = QString::number(value, 'g', 4);
  if (plain.size() <= kWidestValue) return plain;
  const int power = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return QStringLiteral("%1e%2").arg(value / std::pow(10.0, power), 0, 'g', 4).arg(power);
}

/// Whether two multiples of the step lie in the range.
bool hasTwoTicks(double step, const QCPRange& range) {
  return (std::ceil(range.lower / step) + 1) * step <= range.upper;
}

/// 1, 2 and 5 times the powers of ten.
std::vector<double> wholeSteps(double most) {
  std::vector<double> steps;
  for (double power = 1; power <= most * 10; power *= 10)
    for (double factor : {1.0, 2.0, 5.0}) steps.push_back(factor * power);
  return steps;
}

/// Seconds that clocks and calendars count in.
std::vector<double> timeSteps(double most) {
  constexpr double kDay = 86400;
  std::vector<double> steps{1,   2,   5,   10,   15,   30,   60,    120,   180,
                            300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200};
  if (most > steps.back())
    for (double days : wholeSteps(most / kDay)) steps.push_back(days * kDay);
  return steps;
}

/// The least that is wide enough, if two ticks of it are in the range; else the widest with two.
double chosenStep(const std::vector<double>& steps, double wanted, const QCPRange& range) {
  auto step = std::lower_bound(steps.begin(), steps.end(), wanted);
  if (step == steps.end()) --step;
  while (step != steps.begin() && !hasTwoTicks(*step, range)) --step;
  return *step;
}

/// Round distances in the unit of the axis; labels as readings have them.
class XTicker : public QCPAxisTicker {
 public:
  explicit XTicker(XAxis kind) : kind_(kind) {
    setTickCount(6);
    setTickStepStrategy(tssReadability);
  }

 protected:
  double getTickStep(const QCPRange& range) override {
    if (kind_ == XAxis::Epoch) return step_ = QCPAxisTicker::getTickStep(range);
    const double wanted = range.size() / tickCount();
    return step_ =
               chosenStep(kind_ == XAxis::Step ? wholeSteps(range.size()) : timeSteps(range.size()),
                          wanted, range);
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
    return std::abs(tick) < 1e-12 ? QStringLiteral("0") : shortNumber(tick);
  }
};

/// 1, 2 and 5 times the powers of ten where few powers are in view, else the powers.
class LogTicker : public QCPAxisTicker {
 public:
  /// x: of this kind; nothing: values.
  explicit LogTicker(std::optional<XAxis> x) : x_(x) {}

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
    return x_ ? xText(*x_, tick) : shortNumber(tick);
  }

 private:
  std::optional<XAxis> x_;
};

}  // namespace

void setXTicks(QCPAxis* axis, XAxis kind, bool log) {
  axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (log) {
    axis->setTicker(QSharedPointer<LogTicker>::create(kind));
  } else {
    axis->setTicker(QSharedPointer<XTicker>::create(kind));
  }
}

void setYTicks(QCPAxis* axis, bool log) {
  axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (log) {
    axis->setTicker(QSharedPointer<LogTicker>::create(std::nullopt));
  } else {
    axis->setTicker(QSharedPointer<ValueTicker>::create());
  }
}

}  // namespace lockstep::widgets
