#include "app/text/metric_text.h"

#include <QCoreApplication>

#include "engine/config/losses.h"
#include "widgets/curves/number_text.h"

namespace lockstep::app {
namespace {

/// The name of a card stands in the middle of a sentence: "RPN box loss", "mask loss".
QString lossText(const config::LossFacts& loss) {
  QString card = QCoreApplication::translate("Card", loss.title);
  const bool isAbbreviation = card.size() > 1 && card[1].isUpper();
  if (!isAbbreviation) card[0] = card[0].toLower();
  return QCoreApplication::translate("MetricText", "%1 loss").arg(card);
}

}  // namespace

QString metricText(const QString& metric) {
  if (metric.startsWith(QLatin1String("segm/"))) return QStringLiteral("mask ") + metric.mid(5);
  if (metric.startsWith(QLatin1String("bbox/"))) return QStringLiteral("box ") + metric.mid(5);
  if (metric == QLatin1String(config::kTotalLoss)) return QStringLiteral("val loss");
  for (const config::LossFacts& loss : config::kLosses)
    if (metric == QLatin1String(loss.name)) return lossText(loss);
  return metric;
}

QString bestText(const QString& metric, const QVariant& value) {
  const QString name = metric.isEmpty() ? QStringLiteral("AP") : metricText(metric);
  return QStringLiteral("best %1 %2")
      .arg(name, value.isValid() ? widgets::rateText(value.toDouble()) : QStringLiteral("–"));
}

}  // namespace lockstep::app
