#pragma once

namespace lockstep::config {

/// A pixel intensity: a value as stored in the file (`4095`) or a percentile of the image's values
/// (`1 %`).
struct Level {
  double value = 0;
  bool isPercentile = false;
  bool operator==(const Level&) const = default;
};

}  // namespace lockstep::config
