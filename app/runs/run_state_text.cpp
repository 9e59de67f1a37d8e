#include "app/runs/run_state_text.h"

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

}  // namespace lockstep::app
