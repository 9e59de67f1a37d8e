#include "app/models/checkpoint_text.h"

#include <QCoreApplication>
#include <algorithm>

#include "app/models/metric_text.h"

namespace lockstep::app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("MonitorPage", text); }

}  // namespace

QString checkpointText(const protocol::Checkpoint& checkpoint,
                       const std::vector<std::int64_t>& kept, const std::string& bestMetric) {
  const bool isKept = std::binary_search(kept.begin(), kept.end(), checkpoint.step);
  const QString text = (isKept ? tr("checkpoint at step %1") : tr("checkpoint at step %1, deleted"))
                           .arg(checkpoint.step);
  if (!checkpoint.best) return text;
  return text + tr(" (best %1)").arg(metricText(QString::fromStdString(bestMetric)));
}

}  // namespace lockstep::app
