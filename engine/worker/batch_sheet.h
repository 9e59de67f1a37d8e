#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/data/batch.h"
#include "engine/data/rgb_image.h"
#include "engine/worker/overlay.h"

namespace lockstep::worker {

/// Below an image. Where it is too long, the name is shortened in its middle, then the rest at its
/// end.
struct BatchCaption {
  std::string name, rest;
};

/// Draws training batches: every image as the model gets it, with its padding, the boxes, masks and
/// names of its objects, and a caption below. One thread only.
class BatchSheetPainter {
 public:
  explicit BatchSheetPainter(const std::vector<coco::Category>& categories);

  /// Captions in the order of the batch's images, whose transformed pixels are on the host.
  data::RgbImage draw(const data::Batch& batch, const std::vector<BatchCaption>& captions);

 private:
  std::vector<coco::Detection> objectsOf(const data::Batch& batch, std::int64_t n) const;
  /// The line, with … for what exceeds the width. nullopt: as LabelText::draw().
  std::optional<Ink> drawFitting(const BatchCaption& caption, int width);
  std::optional<Ink> drawBeginning(const std::string& text, int width);
  void drawCaption(data::RgbImage& sheet, const BatchCaption& caption, int left, int top,
                   int width);

  std::vector<CategoryId> categories_;
  OverlayPainter overlay_;
  FontList fonts_;
  LabelText text_;
};

}  // namespace lockstep::worker
