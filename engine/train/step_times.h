#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

namespace lockstep::train {

/// What a step computes, one after another.
enum class StepPart { Forward, Backward, Optimizer };
inline constexpr std::size_t kStepParts = 3;
/// By StepPart; of several micro-batches the sums.
using PartSeconds = std::array<double, kStepParts>;

/// How long the parts of one step take: on a CPU by the clock, on a GPU by events on its stream, so
/// that the host never waits for it. The parts are in no CUDA graph, only what they launch may be.
class StepTimes {
 public:
  explicit StepTimes(c10::Device device);

  /// Ends the part before, if there is one.
  void begin(StepPart part);
  /// Ends the part. Nothing is measured until the next.
  void end();
  /// Whether the device has come to the last end().
  bool isComplete() const;
  /// Of a complete step.
  PartSeconds seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Mark {
    std::size_t part;  ///< that begins; kStepParts: none
    c10::Event event;
  };
  void mark(std::size_t part);

  c10::Device device_;
  std::size_t part_ = kStepParts;  ///< on a CPU: that is measured
  Clock::time_point begun_{};      ///< that part
  PartSeconds seconds_{};          ///< on a CPU
  std::vector<Mark> marks_;        ///< on a GPU
};

}  // namespace lockstep::train
