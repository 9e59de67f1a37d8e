#include "widgets/curves/tick_steps.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace lockstep::widgets {
namespace {

using Range = std::pair<double, double>;

constexpr int kMaxLabelCharacters = 7;
constexpr std::size_t kFewestTicks = 3;

/// Whether two multiples of the step lie in the range.
bool hasTwoTicks(double step, const Range& range) {
  return (std::ceil(range.first / step) + 1) * step <= range.second;
}

/// 1, 2 and 5 times the powers of ten from `power` on: some in any case.
std::vector<double> roundSteps(double max, double power = 1) {
  std::vector<double> steps;
  do {
    for (double factor : {1.0, 2.0, 5.0}) steps.push_back(factor * power);
    power *= 10;
  } while (power <= max * 10);
  return steps;
}

/// Round times, in seconds.
std::vector<double> timeSteps(double max) {
  constexpr double kDay = 86400;
  std::vector<double> steps{1,   2,   5,   10,   15,   30,   60,    120,   180,
                            300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200};
  if (max > steps.back())
    for (double days : roundSteps(max / kDay)) steps.push_back(days * kDay);
  return steps;
}

/// `factors` times every power of ten whose exponent is a multiple of `stride`, within the range.
std::vector<double> multiplesOfPowers(std::initializer_list<double> factors, int stride,
                                      const Range& range) {
  std::vector<double> ticks;
  const double first = std::floor(std::log10(range.first) / stride) * stride;
  for (double power = first; power <= std::log10(range.second); power += stride) {
    for (const double factor : factors) {
      const double tick = factor * std::pow(10.0, power);
      if (tick >= range.first && tick <= range.second) ticks.push_back(tick);
    }
  }
  return ticks;
}

/// The smallest step of at least `min`, if the range has two ticks of it; else the largest with
/// two.
double chosenStep(const std::vector<double>& steps, double min, const Range& range) {
  auto step = std::lower_bound(steps.begin(), steps.end(), min);
  if (step == steps.end()) --step;
  while (step != steps.begin() && !hasTwoTicks(*step, range)) --step;
  return *step;
}

}  // namespace

double tickStep(XAxis axis, std::pair<double, double> range, int count) {
  const double length = range.second - range.first;
  if (axis == XAxis::Epoch) return valueTickStep(range, count);
  const bool isTime = axis == XAxis::Relative || axis == XAxis::Wall;
  return chosenStep(isTime ? timeSteps(length) : roundSteps(length), length / count, range);
}

std::vector<double> ticksEvery(double step, std::pair<double, double> range) {
  std::vector<double> ticks;
  const double slack = 1e-9 * (range.second - range.first);
  for (double i = std::ceil((range.first - slack) / step); i * step <= range.second + slack; ++i)
    ticks.push_back(i * step);
  return ticks;
}

double valueTickStep(std::pair<double, double> range, int count) {
  const double length = range.second - range.first;
  if (!(length > 0)) return 1;
  // Two powers less than the length: as small as is needed for two ticks.
  const double least = std::pow(10.0, std::floor(std::log10(length)) - 2);
  return chosenStep(roundSteps(length, least), length / count, range);
}

std::vector<double> logTicks(std::pair<double, double> range, int count) {
  if (!(range.first > 0) || !(range.second > range.first)) return {};
  const int decades = static_cast<int>(std::ceil(std::log10(range.second / range.first)));
  std::vector<double> ticks;
  for (int stride = std::max(1, decades / std::max(1, count)); stride >= 1; --stride) {
    ticks = multiplesOfPowers({1}, stride, range);
    if (ticks.size() >= kFewestTicks) return ticks;
  }
  ticks = multiplesOfPowers({1, 2, 5}, 1, range);
  return ticks.size() >= kFewestTicks ? ticks : std::vector<double>();
}

QString valueTickText(double value) {
  const QString plain = QString::number(value, 'g', 4);
  if (plain.size() <= kMaxLabelCharacters) return plain;
  const int power = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return QStringLiteral("%1e%2").arg(value / std::pow(10.0, power), 0, 'g', 4).arg(power);
}

}  // namespace lockstep::widgets
