#pragma once

#include <QString>
#include <memory>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"
#include "tests/support/box_annotation.h"

namespace lockstep::tests {

inline const coco::Image kWideImage{ImageId{1}, "image.png", 200, 100};

/// A rectangle with its mask; `image` gives id and size.
coco::Detection boxDetection(const coco::Image& image, std::int64_t category, double score,
                             std::array<double, 4> xywh);

/// 64 x 48 px images 1 … count with two 16 px objects each (class 1 at 4,4; class 2 at 36,20),
/// written as PNG to the folder.
std::shared_ptr<const coco::Dataset> writeMadeImages(const QString& folder, int count);

}  // namespace lockstep::tests
