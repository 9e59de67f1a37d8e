#pragma once

#include <QString>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::app {

/// "masks of 640x480 in an image of 1280x960 (b.png, image 5)", width first, px; empty: the
/// detection has no mask, or one of the image's size.
QString maskSizeFault(const coco::Detection& detection, const coco::Image& image);

/// Of the first image of the dataset whose predictions have such masks; empty: there is none.
/// Blocks while they are read; throws Error if they cannot be.
QString maskSizeFault(const coco::Dataset& dataset,
                      const widgets::PredictionStore::ByImage& predictions);

}  // namespace lockstep::app
