#include "widgets/curves/tick_steps.h"

#include <algorithm>
#include <cmath>

namespace lockstep::widgets {
namespace {

using Range = std::pair<double, double>;

constexpr int kMaxLabelCharacters = 7;

/// Whether two multiples of the step lie in the range.
bool hasTwoTicks(double step, const Range& range) {
  return (std::ceil(range.first / step) + 1) * step <= range.second;
}

/// 1, 2 and 5 times the powers of ten.
std::vector<double> roundSteps(double max) {
  std::vector<double> steps;
  for (double power = 1; power <= max * 10; power *= 10)
    for (double factor : {1.0, 2.0, 5.0}) steps.push_back(factor * power);
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
  return chosenStep(axis == XAxis::Step ? roundSteps(length) : timeSteps(length), length / count,
                    range);
}

double roundStep(std::pair<double, double> range, int count) {
  const double least = (range.second - range.first) / count;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::vector<double> ticksEvery(double step, std::pair<double, double> range) {
  std::vector<double> ticks;
  const double slack = 1e-9 * (range.second - range.first);
  for (double i = std::ceil((range.first - slack) / step); i * step <= range.second + slack; ++i)
    ticks.push_back(i * step);
  return ticks;
}

std::vector<double> logTicks(std::pair<double, double> range) {
  std::vector<double> ticks;
  if (range.first <= 0) return ticks;
  const double decades = std::log10(range.second / range.first);
  for (double power = std::floor(std::log10(range.first));
       power <= std::ceil(std::log10(range.second)); ++power)
    for (double factor : {1.0, 2.0, 5.0})
      if (factor == 1 || decades < 2.5) ticks.push_back(factor * std::pow(10.0, power));
  return ticks;
}

QString valueTickText(double value) {
  const QString plain = QString::number(value, 'g', 4);
  if (plain.size() <= kMaxLabelCharacters) return plain;
  const int power = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return QStringLiteral("%1e%2").arg(value / std::pow(10.0, power), 0, 'g', 4).arg(power);
}

}  // namespace lockstep::widgets
