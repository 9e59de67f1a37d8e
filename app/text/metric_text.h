#pragma once

#include <QString>
#include <QVariant>

namespace lockstep::app {

/// "mask AP" of "segm/AP", "box AP50" of "bbox/AP50", "val loss" of "loss_total", "class loss" of
/// "loss_classifier", as Monitor's cards name it.
QString metricText(const QString& metric);
/// The best metric of a run for the run list, such as "best mask AP 0.512". Invalid value: none
/// yet.
QString bestText(const QString& metric, const QVariant& value);

}  // namespace lockstep::app
