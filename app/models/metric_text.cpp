#include "app/models/metric_text.h"

#include "engine/config/losses.h"
#include "widgets/curves/number_text.h"

namespace lockstep::app {

QString metricText(const QString& metric) {
  if (metric.startsWith(QLatin1String("segm/"))) return QStringLiteral("mask ") + metric.mid(5);
  if (metric.startsWith(QLatin1String("bbox/"))) return QStringLiteral("box ") + metric.mid(5);
  if (metric == QLatin1String(config::kTotalLoss)) return QStringLiteral("held-out");
  return metric;
}

QString bestText(const QString& metric, const QVariant& value) {
  const QString name = metric.isEmpty() ? QStringLiteral("AP") : metricText(metric);
  return QStringLiteral("best %1 %2")
      .arg(name, value.isValid() ? widgets::rateText(value.toDouble()) : QStringLiteral("–"));
}

}  // namespace lockstep::app
