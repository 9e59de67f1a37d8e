#pragma once

#include <QString>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"
#include "widgets/instances/image_detections.h"

namespace lockstep::app {

/// "masks of 640x480 in an image of 1280x960 (b.png, image 5)", width first, px; empty: the
/// detection has no mask, or one of the image's size.
QString maskSizeFault(const coco::Detection& detection, const coco::Image& image);

/// Of the first detection of the image that has such a mask; empty: there is none. Blocks while
/// they are read; throws Error if they cannot be.
QString maskSizeFault(const widgets::ImageDetections& detections, const coco::Image& image);

}  // namespace lockstep::app
