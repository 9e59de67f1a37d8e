#pragma once

#include <QColor>
#include <QString>

#include "widgets/theme.h"

namespace lockstep::app {

/// Colour that a run's state is written in.
QColor stateColor(const QString& state, const widgets::Theme& theme);
/// `running`, `evaluating`, `paused` or `stopping`: there is a process that works on it.
bool isLiveState(const QString& state);

}  // namespace lockstep::app
