#pragma once

#include <QString>
#include <memory>
#include <set>

#include "widgets/image_view/canvas_scene.h"
#include "widgets/image_view/decoded_image.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::widgets {

/// An image with what is drawn over it, and the results that this is of: values, to be written to
/// files by any thread.
struct ShownResults {
  QString name;        ///< "lr-0.02, step 400"
  QString thresholds;  ///< what is drawn, in words: "score ≥ 0.50, IoU ≥ 0.50"
  std::shared_ptr<const DecodedImage> decoded;
  std::shared_ptr<const CanvasScene> scene;
  CanvasLayers layers;
  const Theme* theme = nullptr;  ///< one of the two constant themes
  std::shared_ptr<const coco::Dataset> dataset;
  std::size_t imageIndex = 0;
  PredictionStore::ByImage predictions;
  MatchRules rules;
  double scoreThreshold = 0;
  std::set<CategoryId> hidden{};
  QString imagesFolder;

  const coco::Image& image() const { return dataset->images()[imageIndex]; }
};

}  // namespace lockstep::widgets
