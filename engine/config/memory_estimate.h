#pragma once

#include <cstdint>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"

namespace lockstep::config {

/// The largest micro-batch of a rank, and about how much memory its training step needs.
struct BatchEstimate {
  int images = 0;
  int widthPx = 0, heightPx = 0;  ///< padded
  double imageBytes = 0;          ///< activations of one image
  double weightBytes = 0;         ///< weights, gradients and optimizer state
  double processBytes = 0;        ///< on a CPU: the process without them

  /// Within a factor of about 1.5; on a CPU of what the process has resident.
  double bytes() const { return processBytes + weightBytes + images * imageBytes; }
  /// Images of a micro-batch that `memoryBytes` have room for.
  int imagesIn(double memoryBytes) const;
};

/// From the image sizes in the annotations alone: no image is opened.
BatchEstimate estimateLargestBatch(const Experiment& experiment,
                                   const std::vector<coco::Image>& images);

}  // namespace lockstep::config
