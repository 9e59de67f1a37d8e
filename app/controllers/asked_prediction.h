#pragma once

#include <QtGlobal>
#include <optional>

namespace lockstep::app {

/// What an engine was asked to predict with the checkpoint of a step.
struct AskedPrediction {
  std::optional<qint64> image;  ///< nullopt: all held-out images
  qint64 step = 0;
  bool operator==(const AskedPrediction&) const = default;
};

}  // namespace lockstep::app
