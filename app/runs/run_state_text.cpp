#include "app/runs/run_state_text.h"

#include "widgets/plots/number_text.h"

namespace lockstep::app {

QColor stateColor(const QString& state, const widgets::Theme& theme) {
  if (state == QLatin1String("running") || state == QLatin1String("evaluating")) return theme.good;
  if (state == QLatin1String("paused") || state == QLatin1String("stopping") ||
      state == QLatin1String("stopped"))
    return theme.warning;
  if (state == QLatin1String("failed")) return theme.error;
  if (state == QLatin1String("queued") || state == QLatin1String("starting")) return theme.accent;
  return theme.textMuted;
}

bool isLiveState(const QString& state) {
  return state == QLatin1String("starting") || state == QLatin1String("running") ||
         state == QLatin1String("evaluating") || state == QLatin1String("paused") ||
         state == QLatin1String("stopping");
}

QString metricText(const QString& metric) {
  if (metric.startsWith(QLatin1String("segm/"))) return QStringLiteral("mask ") + metric.mid(5);
  if (metric.startsWith(QLatin1String("bbox/"))) return QStringLiteral("box ") + metric.mid(5);
  if (metric == QLatin1String("loss_total")) return QStringLiteral("held-out");
  return metric;
}

QString bestText(const QString& metric, const QVariant& value) {
  const QString name = metric.endsWith(QLatin1String("/AP")) || metric.isEmpty()
                           ? QStringLiteral("AP")
                           : metricText(metric);
  return QStringLiteral("best %1 %2")
      .arg(name, value.isValid() ? widgets::rateText(value.toDouble()) : QStringLiteral("–"));
}

}  // namespace lockstep::app
