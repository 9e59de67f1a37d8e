#pragma once

#include <QColor>

#include "engine/base/open_enum.h"
#include "engine/protocol/run_state.h"
#include "widgets/theme.h"

namespace lockstep::app {

/// Colour that a run's state is written in.
QColor stateColor(const base::OpenEnum<protocol::RunState>& state, const widgets::Theme& theme);

}  // namespace lockstep::app
