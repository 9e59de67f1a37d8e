#pragma once

#include <QString>
#include <memory>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::tests {

/// A rectangle as a polygon.
coco::Annotation boxAnnotation(std::int64_t id, std::int64_t image, std::int64_t category,
                               std::array<double, 4> xywh);
/// A rectangle with its mask; `image` gives id and size.
coco::Detection boxDetection(const coco::Image& image, std::int64_t category, double score,
                             std::array<double, 4> xywh);

/// 64 x 48 px images 1 … count with two 16 px objects each (class 1 at 4,4; class 2 at 36,20),
/// written as PNG to the folder.
std::shared_ptr<const coco::Dataset> writeMadeImages(const QString& folder, int count);

}  // namespace lockstep::tests
