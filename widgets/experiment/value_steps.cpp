#include "widgets/experiment/value_steps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "engine/config/value_text.h"
#include "widgets/experiment/field_words.h"

namespace lockstep::widgets {
namespace {

using config::Field;
using config::FieldType;

constexpr double kShareStep = 0.05, kWideStep = 0.5;
/// Below this, a rate becomes 0 where that is allowed.
constexpr double kLeastRate = 1e-8;
/// A rate's first step up from 0, without a default.
constexpr double kFirstRate = 0.01;
constexpr std::int64_t kFirstDoubled = 16;

bool isOneWhole(const Field& field) {
  return field.type == FieldType::Integer || field.type == FieldType::Duration ||
         field.type == FieldType::Bytes;
}

/// Whether the value, or each item of a list, is whole.
bool isWhole(const Field& field) {
  return isOneWhole(field) || field.type == FieldType::IntegerList ||
         field.type == FieldType::DurationList;
}

/// Where the number ends that a value begins with: "12" of "12 epochs".
qsizetype numberEnd(const QString& value) {
  return std::find_if(
             value.begin(), value.end(),
             [](QChar c) { return !c.isDigit() && !QStringLiteral(".eE+-").contains(c); }) -
         value.begin();
}

/// Without the digits that arithmetic left behind.
double rounded(double value) { return QString::number(value, 'g', 9).toDouble(); }

/// The next of …, 0.5, 1, 2, 5, 10, … above or below a positive value.
double nextRate(double value, bool up) {
  const double decade = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
  const double mantissa = value / decade;
  if (up) {
    for (const double each : {2.0, 5.0})
      if (each > mantissa + 1e-9) return rounded(each * decade);
    return rounded(10 * decade);
  }
  for (const double each : {5.0, 2.0, 1.0})
    if (each < mantissa - 1e-9) return rounded(each * decade);
  return rounded(decade / 2);
}

double movedRate(const Field& field, double value, bool up) {
  if (value > 0) {
    const double next = nextRate(value, up);
    return next < kLeastRate ? 0 : next;
  }
  if (!up) return value;
  const double usual = field.defaultText().empty() ? 0 : std::atof(field.defaultText().c_str());
  return usual > 0 ? usual : kFirstRate;
}

double movedNumber(const Field& field, double value, bool up) {
  const bool endsBelowOne = field.maximum == 1 && field.maximumExcluded;
  // Of a decay or a momentum, what is missing to 1 matters: 0.9, 0.95, 0.98, 0.99, …
  if (endsBelowOne) return rounded(1 - nextRate(1 - value, !up));
  const bool hasEnds = field.minimum == 0 && std::isfinite(field.maximum);
  const bool isPlain = hasEnds && (field.maximum > 1 || isFraction(field));
  if (!isPlain) return movedRate(field, value, up);
  const double step = field.maximum > 1 ? kWideStep : kShareStep;
  return std::clamp(rounded(value + (up ? step : -step)), field.minimum, field.maximum);
}

std::int64_t movedWhole(std::int64_t value, bool up) {
  if (value >= kFirstDoubled && std::has_single_bit(static_cast<std::uint64_t>(value)))
    return up ? value * 2 : value / 2;
  std::int64_t step = 1;
  while (value / (step * 100) > 0) step *= 10;
  if (!up && step > 1 && value == step * 10) step /= 10;  // 100 → 99, as up from 99
  return value + (up ? step : -step);
}

/// A part of an epoch first becomes a whole one.
double movedCount(double value, bool up) {
  if (value != std::floor(value)) return up ? std::ceil(value) : std::floor(value);
  return static_cast<double>(movedWhole(std::llround(value), up));
}

QString writtenNumber(const Field& field, double number) {
  return QString::fromStdString(isWhole(field) ? std::to_string(std::llround(number))
                                               : config::writeNumber(number));
}

/// The number that goes on from two: doubled if they double, else as far away again.
double continued(double before, double last) {
  const double factor = last / before;
  const bool isMultiple = before > 0 && factor >= 2 && factor == std::floor(factor);
  return isMultiple ? last * factor : rounded(last + (last - before));
}

}  // namespace

bool isFraction(const Field& field) {
  if (field.type != FieldType::Number || field.minimum != 0 || field.maximum != 1) return false;
  if (field.minimumExcluded || field.maximumExcluded || field.nullable) return false;
  const double usual = std::atof(field.defaultText().c_str());
  const bool isTiny = usual > 0 && usual < 0.01;
  return !isTiny && field.key != "dataset.repeat_threshold";  // usually 0.001
}

bool isStepped(const Field& field) { return field.type == FieldType::Number || isOneWhole(field); }

QString stepped(const Field& field, const QString& value, int steps) {
  const qsizetype end = numberEnd(value);
  bool isNumber = false;
  double number = value.left(end).toDouble(&isNumber);
  if (!isNumber) return value;
  QString allowed = value;
  for (int i = 0; i < std::abs(steps); ++i) {
    number = isWhole(field) ? movedCount(number, steps > 0) : movedNumber(field, number, steps > 0);
    const QString next = writtenNumber(field, number) + value.mid(end);
    config::Experiment scratch;
    if (!field.assign(scratch, yamlOf(field, next)).empty()) break;
    allowed = next;
  }
  return allowed;
}

QString between(const Field& field, const QString& item, const QString& next) {
  const qsizetype end = numberEnd(item);
  const double first = item.left(end).toDouble(), last = next.left(numberEnd(next)).toDouble();
  return writtenNumber(field, rounded((first + last) / 2)) + item.mid(end);
}

QString following(const Field& field, const QString& before, const QString& item) {
  const qsizetype end = numberEnd(item);
  bool isNumber = false, isBefore = false;
  const double last = item.left(end).toDouble(&isNumber);
  const double first = before.left(numberEnd(before)).toDouble(&isBefore);
  if (!isNumber) return {};
  if (!isBefore) return stepped(field, item, 1);
  return writtenNumber(field, continued(first, last)) + item.mid(end);
}

}  // namespace lockstep::widgets
