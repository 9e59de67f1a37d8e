#pragma once

#include <QColor>

#include "engine/base/open_enum.h"
#include "engine/protocol/run_state.h"
#include "widgets/theme.h"

namespace lockstep::app {

/// Text colour of a run's state.
QColor stateColor(const base::OpenEnum<protocol::RunState>& state, const widgets::Theme& theme);

}  // namespace lockstep::app
