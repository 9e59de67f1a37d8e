#pragma once

#include <QString>
#include <QVariant>

namespace lockstep::app {

/// "mask AP" of "segm/AP", "box AP50" of "bbox/AP50", "held-out" of "loss_total".
QString metricText(const QString& metric);
/// The figure of a run in the list: its best, in few characters. An invalid value: none yet.
QString bestText(const QString& metric, const QVariant& value);

}  // namespace lockstep::app
