#pragma once

#include <cstdint>
#include <exception>
#include <string>

namespace lockstep::train {

/// What is known of a rank where it fails.
struct FailureFacts {
  std::int64_t step = 0;  ///< of a training; 0: before its first, or there is none
  std::string phase{};
  bool isWaiting = false;  ///< in a collective
  std::string gpu{};       ///< `GPU 1 (NVIDIA H200)`; empty: on the CPU, or not known
};

struct Failure {
  std::string message;  ///< one line: what, and what to do
  std::string cause;    ///< as protocol::Failed's
  int exitStatus = 1;
};

/// What an exception means for the rank that meets it. Makes no call to CUDA: after an error of a
/// GPU none works any more.
Failure failureOf(const std::exception& exception, const FailureFacts& facts);

}  // namespace lockstep::train
