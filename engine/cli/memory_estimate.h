#pragma once

#include <cstdint>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"

namespace lockstep::cli {

/// The largest micro-batch of a rank, and about how much memory its training step needs.
struct BatchEstimate {
  int images = 0;
  int widthPx = 0, heightPx = 0;  ///< padded
  double bytes = 0;  ///< activations, gradients and optimizer state; within a factor of about 1.5
};

/// From the image sizes in the annotations alone: no image is opened.
BatchEstimate estimateLargestBatch(const config::Experiment& experiment,
                                   const std::vector<coco::Image>& images);

}  // namespace lockstep::cli
