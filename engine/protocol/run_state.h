#pragma once

#include "engine/base/open_enum.h"

namespace lockstep::protocol {

/// What a run is doing, as run.json and the messages say it.
enum class RunState {
  Queued,
  Starting,
  Running,
  Evaluating,
  Paused,
  Stopping,
  Stopped,
  Failed,
  Finished
};
constexpr auto enumTexts(RunState) {
  using enum RunState;
  return std::to_array<base::EnumText<RunState>>({{Queued, "queued"},
                                                  {Starting, "starting"},
                                                  {Running, "running"},
                                                  {Evaluating, "evaluating"},
                                                  {Paused, "paused"},
                                                  {Stopping, "stopping"},
                                                  {Stopped, "stopped"},
                                                  {Failed, "failed"},
                                                  {Finished, "finished"}});
}

/// There is a process that works on it.
constexpr bool isLive(RunState state) {
  return state >= RunState::Starting && state <= RunState::Stopping;
}
inline bool isLive(const base::OpenEnum<RunState>& state) {
  return state.value() && isLive(*state.value());
}
constexpr bool hasEnded(RunState state) { return state >= RunState::Stopped; }

}  // namespace lockstep::protocol
