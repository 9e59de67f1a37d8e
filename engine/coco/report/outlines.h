#pragma once

#include <array>
#include <string>

#include "engine/coco/masks/rle.h"

/// Outlines of instances as SVG, in px of the image. Used by this folder alone.
namespace lockstep::coco::report {

/// Something to draw around.
struct Outline {
  std::string shape;                     ///< an SVG element without its closing "/>"
  double left = 0, top = 0, bottom = 0;  ///< where labels stand
};

Outline boxOutlineOf(const std::array<double, 4>& xywh);
/// Along the edges of pixels. An empty mask, and one with so many corners that they would fill the
/// page, is drawn as `boxXywh`.
Outline maskOutlineOf(const Rle& mask, const std::array<double, 4>& boxXywh);

}  // namespace lockstep::coco::report
