#pragma once

#include <cstdint>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"

namespace lockstep::cli {

/// The largest batch that a rank computes at once, and about how much memory a training step of it
/// takes.
struct BatchEstimate {
  int images = 0;
  int widthPx = 0, heightPx = 0;  ///< padded
  double bytes = 0;  ///< activations, gradients and optimiser state; within a factor of about 1.5
};

/// From the sizes in the annotations alone: no image is opened.
BatchEstimate estimateLargestBatch(const config::Experiment& experiment,
                                   const std::vector<coco::Image>& images);

}  // namespace lockstep::cli
