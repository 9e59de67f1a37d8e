#pragma once

#include <atomic>
#include <cstdint>

#include "engine/protocol/failure.h"

namespace lockstep::train {

/// What a rank is doing, for its heartbeat and for failure reports. Written by the training
/// thread, read by any.
struct PhaseReport {
  void note(const char* newCollective, bool isWaiting) {
    collective = newCollective;
    waiting = isWaiting;
  }

  std::atomic<int> rank{0};  ///< in the world
  std::atomic<std::int64_t> step{0};
  std::atomic<protocol::Phase> phase{protocol::Phase::Loading};
  std::atomic<const char*> collective{""};  ///< the last one entered, a string literal
  std::atomic<bool> waiting{false};         ///< in that collective now
  std::atomic<std::int64_t> images{0};      ///< finished by an evaluation or prediction
};

}  // namespace lockstep::train
