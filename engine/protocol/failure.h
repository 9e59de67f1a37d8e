#pragma once

#include "engine/base/enum_text.h"

namespace lockstep::protocol {

/// What a rank is doing, in heartbeats and failure reports.
enum class Phase {
  Joining,  ///< in the rendezvous, waiting for the other ranks
  Loading,
  Data,  ///< waiting for images
  Forward,
  Backward,
  Optimizer,
  Evaluating,
  Predicting,
  Checkpoint,
  Paused,
  Diverged,  ///< locating the first non-finite value
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

/// RunError::cause, unless that is a signal or an exit code.
enum class FailureCause {
  // Reported by the rank itself.
  Error,
  System,  ///< a failed system call
  /// An image cannot be read while dataset.bad_images is `fail`; with `skip` the run continues.
  BadImage,
  Exception,
  OutOfMemory,
  Gpu,
  LostPeer,  ///< a collective failed, probably because another rank did
  // Detected by others.
  Silence,  ///< no heartbeat
  Stalled,
  Protocol,  ///< its messages do not decode
  Start,     ///< it could not be started
  // Of the whole run.
  Checkpoint,  ///< the last one is lost
  Supervisor,
  EngineGone,
  RunJson,  ///< unreadable
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
