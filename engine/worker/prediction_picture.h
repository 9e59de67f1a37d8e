#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/train/training.h"
#include "engine/worker/overlay.h"

namespace lockstep::worker {

/// Longest side of a picture, px; smaller images keep their size.
inline constexpr int kPictureSidePx = 640;
/// Detections of lower scores are not drawn.
inline constexpr double kPictureScore = 0.5;

/// Draws predictions for TensorBoard as overlays are drawn (OverlayPainter), on smaller images: the
/// image is made smaller first, so that lines and text stay readable. One thread only.
class PredictionPicturePainter {
 public:
  /// Writes the picture as a PNG and returns its size. `categories`: of the model, the same at
  /// every call. Throws Error.
  base::ImageSize draw(const train::PredictedImage& predicted,
                       const std::vector<coco::Category>& categories,
                       const std::filesystem::path& png);

 private:
  OverlayPainter& painterFor(const std::vector<coco::Category>& categories);

  std::optional<OverlayPainter> painter_;  ///< made when it is needed: it lists the fonts
};

}  // namespace lockstep::worker
