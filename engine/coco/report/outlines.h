#pragma once

#include <array>
#include <string>

#include "engine/coco/masks/rle.h"

/// Outlines of instances as SVG, in px of the image. Used only in this folder.
namespace lockstep::coco::report {

/// The outline of a box or a mask.
struct Outline {
  std::string shape;                     ///< an SVG element without its closing "/>"
  double left = 0, top = 0, bottom = 0;  ///< for placing labels
};

Outline boxOutlineOf(const std::array<double, 4>& xywh);
/// Along pixel edges. An empty mask, or one with too many corners for the page, is drawn as
/// `boxXywh`.
Outline maskOutlineOf(const Rle& mask, const std::array<double, 4>& boxXywh);

}  // namespace lockstep::coco::report
