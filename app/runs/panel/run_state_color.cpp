#include "app/runs/panel/run_state_color.h"

namespace lockstep::app {

QColor stateColor(const base::OpenEnum<protocol::RunState>& state, const widgets::Theme& theme) {
  using enum protocol::RunState;
  switch (state.value().value_or(Finished)) {
    case Running:
    case Evaluating:
      return theme.good;
    case Paused:
    case Stopping:
    case Stopped:
      return theme.warning;
    case Failed:
      return theme.error;
    case Queued:
    case Starting:
      return theme.accent;
    case Finished:
      break;
  }
  return theme.textMuted;
}

}  // namespace lockstep::app
