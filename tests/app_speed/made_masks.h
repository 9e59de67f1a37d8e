#pragma once

#include <QRectF>
#include <QSize>

#include "engine/coco/masks/rle.h"

namespace lockstep::speed {

/// An ellipse in this box of an image.
coco::Rle ellipse(const QRectF& box, QSize image);

}  // namespace lockstep::speed
