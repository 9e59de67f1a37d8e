#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "engine/protocol/failure.h"

namespace lockstep::train {

/// What a rank was doing when it failed.
struct FailureFacts {
  std::int64_t step = 0;  ///< of a training; 0: before its first, or there is none
  protocol::Phase phase = protocol::Phase::Loading;
  bool isWaiting = false;  ///< in a collective
  std::string gpu{};       ///< `GPU 1 (NVIDIA H200)`; empty: on the CPU, or not known
};

struct Failure {
  std::string message;  ///< one line: what, and what to do
  protocol::FailureCause cause = protocol::FailureCause::Exception;
  int exitStatus = 1;
  int rank = -1;       ///< the failed rank if known to all; -1: this one
  std::string host{};  ///< of that rank
};

/// The cause, message and exit status for an exception on this rank. Makes no CUDA call: none works
/// after a GPU error.
Failure failureOf(const std::exception& exception, const FailureFacts& facts);

}  // namespace lockstep::train
