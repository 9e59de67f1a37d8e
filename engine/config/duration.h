#pragma once

#include <cstdint>

namespace lockstep::config {

/// A length or interval of training as written in an experiment file: `200` (steps), `12 epochs`
/// or `20000 images`.
struct Duration {
  enum class Unit { Steps, Epochs, Images };
  double count = 0;
  Unit unit = Unit::Steps;
  bool operator==(const Duration&) const = default;

  /// In whole steps, rounded up, at least 1; 0 stays 0 ("never"). trainImages: number of usable
  /// training images.
  std::int64_t steps(std::int64_t trainImages, std::int64_t batchSize) const;
  /// Steps of a duration that is in steps, as all of a resolved experiment are. Throws Error for
  /// others.
  std::int64_t steps() const;
};

}  // namespace lockstep::config
