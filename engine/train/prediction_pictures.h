#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/eval/evaluator.h"
#include "engine/train/training.h"

namespace lockstep::train {

/// Draws predictions on held-out images for TensorBoard (monitor.summary_images). Rank 0 alone.
class PredictionPictures {
 public:
  explicit PredictionPictures(const Training& training) : training_(training) {}

  /// Draws the images with these indices, which `found` is of, and sends the pictures. A failure is
  /// a warning, once: training continues without them.
  void draw(const eval::Detected& found, const std::vector<std::size_t>& indices);

 private:
  protocol::PicturesReady drawAll(const eval::Detected& found,
                                  const std::vector<std::size_t>& indices,
                                  const std::filesystem::path& folder) const;
  void warn(const std::string& reason);

  const Training& training_;
  bool isWarned_ = false;
};

}  // namespace lockstep::train
