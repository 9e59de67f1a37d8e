#include "widgets/curves/number_text.h"

#include <QDateTime>
#include <QLocale>
#include <cmath>

namespace lockstep::widgets {

QString valueText(double value) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value))
    return value > 0 ? QStringLiteral("Infinity") : QStringLiteral("-Infinity");
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e6)) return QString::number(value, 'e', 2);
  const int digits = size >= 1000                ? 0
                     : size >= 100               ? 1
                     : size >= 10                ? 2
                     : size >= 0.01 || size == 0 ? 3
                                                 : 5;
  return QString::number(value, 'f', digits);
}

QString rateText(double value) {
  return std::isfinite(value) ? QString::number(value, 'f', 3) : valueText(value);
}

QString countText(qint64 count) { return QLocale(QLocale::English).toString(count); }

QString durationText(double seconds) {
  const qint64 whole = std::llround(std::max(seconds, 0.0));
  const qint64 days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60;
  if (days > 0) return QStringLiteral("%1 d %2 h").arg(days).arg(hours);
  const QString rest = QStringLiteral("%1").arg(whole % 60, 2, 10, QLatin1Char('0'));
  if (hours > 0)
    return QStringLiteral("%1:%2:%3").arg(hours).arg(minutes, 2, 10, QLatin1Char('0')).arg(rest);
  return QStringLiteral("%1:%2").arg(minutes).arg(rest);
}

QString xText(XAxis axis, double x, double stepSize) {
  switch (axis) {
    case XAxis::Relative:
      return durationText(x);
    case XAxis::Wall: {
      const QDateTime time = QDateTime::fromMSecsSinceEpoch(std::llround(x * 1000));
      if (stepSize >= 43200) return time.toString(QStringLiteral("d MMM"));
      return time.toString(stepSize > 0 && stepSize < 60 ? QStringLiteral("HH:mm:ss")
                                                         : QStringLiteral("HH:mm"));
    }
    case XAxis::Epoch:
      return QString::number(x, 'g', 4);
    case XAxis::Step:
    case XAxis::Images:
      break;
  }
  if (stepSize >= 1e6) return QString::number(x / 1e6, 'g', 4) + QLatin1Char('M');
  if (stepSize >= 1e4) return QString::number(x / 1e3, 'g', 5) + QLatin1Char('k');
  return QString::number(x, 'g', 7);
}

}  // namespace lockstep::widgets
