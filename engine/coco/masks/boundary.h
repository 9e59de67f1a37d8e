#pragma once

#include "engine/coco/masks/rle.h"
#include "engine/coco/masks/runs.h"

/// The boundary region of a mask for boundary IoU (Cheng et al., "Boundary IoU", CVPR 2021).
namespace lockstep::coco {

/// Width of the boundary region for the masks of an image, px: 2 % of the diagonal, rounded half to
/// even, at least 1, as in the paper's boundary-iou-api and in faster-coco-eval.
int boundaryDepthPx(int height, int width);

/// The mask minus its erosion by a square of 2 * depthPx + 1 px (depthPx >= 1), where pixels
/// outside the image count as background; computed on the runs, at a cost that does not depend on
/// depthPx. Equals boundary-iou-api; faster-coco-eval 1.8 differs for images no higher than 2 *
/// depthPx, where it finds an interior although there is none. Throws Error when the counts do not
/// sum to height*width.
Rle boundaryOf(const Rle& mask, int depthPx);

/// Whether a mask with this bounding box is too thin to have an interior, so that boundaryOf
/// returns the whole mask.
bool isAllBoundary(const PixelBox& box, int depthPx);

}  // namespace lockstep::coco
