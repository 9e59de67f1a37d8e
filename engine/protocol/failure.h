#pragma once

#include "engine/base/enum_text.h"

namespace lockstep::protocol {

/// What a rank does: in its heartbeat, and in the report of a failure.
enum class Phase {
  Joining,  ///< waits for the other ranks
  Loading,
  Data,  ///< waits for images
  Forward,
  Backward,
  Optimizer,
  Evaluating,
  Predicting,
  Checkpoint,
  Paused,
  Diverged,  ///< looks for what is not finite
};
constexpr auto enumTexts(Phase) {
  using enum Phase;
  return std::to_array<base::EnumText<Phase>>({{Joining, "joining"},
                                               {Loading, "loading"},
                                               {Data, "data"},
                                               {Forward, "forward"},
                                               {Backward, "backward"},
                                               {Optimizer, "optimizer"},
                                               {Evaluating, "evaluating"},
                                               {Predicting, "predicting"},
                                               {Checkpoint, "checkpoint"},
                                               {Paused, "paused"},
                                               {Diverged, "diverged"}});
}

/// RunError::cause, where it is no signal or exit status.
enum class FailureCause {
  // What a rank says of itself.
  Error,
  System,  ///< a call of the operating system
  /// An image cannot be read while dataset.bad_images is `fail`; with `skip` the run continues.
  BadImage,
  Exception,
  OutOfMemory,
  Gpu,
  LostPeer,  ///< a collective broke, so that it is likely another rank's failure
  // What others say of it.
  Silence,
  Stalled,
  Protocol,  ///< its messages cannot be read
  Start,     ///< it could not be started
  // What is said of the run.
  Checkpoint,  ///< the last one is lost
  Supervisor,
  EngineGone,
  RunJson,  ///< cannot be read
};
constexpr auto enumTexts(FailureCause) {
  using enum FailureCause;
  return std::to_array<base::EnumText<FailureCause>>({{Error, "error"},
                                                      {System, "system"},
                                                      {BadImage, "bad image"},
                                                      {Exception, "exception"},
                                                      {OutOfMemory, "out of memory"},
                                                      {Gpu, "gpu"},
                                                      {LostPeer, "lost peer"},
                                                      {Silence, "silence"},
                                                      {Stalled, "stalled"},
                                                      {Protocol, "protocol"},
                                                      {Start, "start"},
                                                      {Checkpoint, "checkpoint"},
                                                      {Supervisor, "supervisor"},
                                                      {EngineGone, "engine gone"},
                                                      {RunJson, "run.json"}});
}

}  // namespace lockstep::protocol
