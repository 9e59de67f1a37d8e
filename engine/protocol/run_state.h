#pragma once

#include "engine/base/open_enum.h"

namespace lockstep::protocol {

/// The state of a run, in run.json and in messages.
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

/// Whether a process is working on the run.
constexpr bool isLive(RunState state) {
  return state >= RunState::Starting && state <= RunState::Stopping;
}
inline bool isLive(const base::OpenEnum<RunState>& state) {
  return state.value() && isLive(*state.value());
}
constexpr bool hasEnded(RunState state) { return state >= RunState::Stopped; }

}  // namespace lockstep::protocol
