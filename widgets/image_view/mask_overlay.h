#pragma once

#include <QImage>
#include <QPainterPath>
#include <span>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/masks/rle.h"
#include "widgets/image_view/decoded_image.h"

namespace lockstep::widgets {

/// One mask and the colour (with alpha) that fills it.
struct MaskFill {
  const coco::Rle* mask = nullptr;
  QRgb colour = 0;
};

/// Blends the masks in their order over a transparent image of `size` px (ARGB32_Premultiplied).
/// Ignores masks of another size. Call it from any thread.
QImage paintMasks(QSize size, std::span<const MaskFill> fills);

/// Only the pixels in `area`, which is within the image: the picture has its size.
QImage paintMasks(QSize size, const QRect& area, std::span<const MaskFill> fills);

/// The same with its smaller copies. Of an image of over 6 megapixels there are only smaller ones,
/// because those of its size would not fit into memory for many images.
ImageLevels paintMaskLevels(QSize size, std::span<const MaskFill> fills);

/// Outline of a mask in image px. The corners of the pixel edges are cut by half a pixel, so that
/// slanted edges look straight; no point is further than 0.36 px from the pixel edge.
QPainterPath outlineOf(const coco::Rle& mask);

/// Outline of an annotation in image px: its polygons, or the outline of its RLE mask.
QPainterPath outlineOf(const coco::Annotation& annotation);

/// Whether the mask covers the pixel.
bool covers(const coco::Rle& mask, QPoint pixel);

}  // namespace lockstep::widgets
