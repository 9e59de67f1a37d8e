#pragma once

namespace lockstep::config {

/// An intensity of an image file: a value as the file holds it (`4095`), or the percentile of its
/// values (`1 %`).
struct Level {
  double value = 0;
  bool isPercentile = false;
  bool operator==(const Level&) const = default;
};

}  // namespace lockstep::config
