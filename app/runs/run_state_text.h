#pragma once

#include <QColor>
#include <QString>
#include <QVariant>

#include "widgets/theme.h"

namespace lockstep::app {

/// Colour that a run's state is written in.
QColor stateColor(const QString& state, const widgets::Theme& theme);
/// `running`, `evaluating`, `paused` or `stopping`: there is a process that works on it.
bool isLiveState(const QString& state);
/// "mask AP" of "segm/AP", "box AP50" of "bbox/AP50", "held-out" of "loss_total".
QString metricText(const QString& metric);
/// The figure of a run in the list: its best, in few characters. An invalid value: none yet.
QString bestText(const QString& metric, const QVariant& value);

}  // namespace lockstep::app
