#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// COCO RLE masks: run lengths in column-major order, the same counts and strings as pycocotools.
namespace lockstep::coco {

struct Rle {
  int height = 0;  ///< px
  int width = 0;   ///< px
  std::vector<std::uint32_t>
      counts;  ///< lengths of alternating runs of 0 and 1, the first of 0; they sum to height*width
  bool operator==(const Rle&) const = default;
};

/// mask [height, width] row-major, nonzero is foreground. rowStride in elements.
Rle encodeMask(const std::uint8_t* mask, int height, int width, std::ptrdiff_t rowStride);
/// [height*width] row-major, 0 or 1. Throws Error when the counts do not sum to height*width.
std::vector<std::uint8_t> decodeMask(const Rle& rle);

/// The pixels of a mask within its bounding box; empty for an empty mask.
struct MaskCrop {
  int x = 0, y = 0;                  ///< px, of the box in the image
  int width = 0, height = 0;         ///< px, of the box
  std::vector<std::uint8_t> pixels;  ///< [height*width] row-major, 0 or 1
};
/// Time and memory depend on the size of the box, not of the image. Throws Error as decodeMask
/// does.
MaskCrop crop(const Rle& rle);

/// COCO's compressed counts string.
std::string compressCounts(const Rle& rle);
/// Throws Error when the string is invalid or its counts do not sum to height*width.
Rle decompressCounts(std::string_view text, int height, int width);

/// One polygon x0 y0 x1 y1 …, px, rasterised as pycocotools does. Throws Error for a coordinate
/// that is not finite.
Rle rasterisePolygon(std::span<const double> xy, int height, int width);
/// Union (or intersection) of masks of one size. Throws Error when sizes differ. No masks: a mask
/// of 0 x 0.
Rle merge(std::span<const Rle> masks, bool intersect = false);

std::uint64_t areaPx(const Rle& rle);
/// x, y, width, height of the bounding box; zeros when empty.
std::array<double, 4> boundingBoxXywh(const Rle& rle);
/// Intersection over union of two masks; with `crowd` (groundTruth is a crowd) intersection over
/// the detection's area. Throws Error when sizes differ.
double maskIou(const Rle& detection, const Rle& groundTruth, bool crowd = false);
/// Contours of the mask in px as closed polygons along pixel edges, corners only, without repeating
/// the first: outlines clockwise on the screen, holes counter-clockwise. Pixels that touch only at
/// a corner are not connected.
std::vector<std::vector<std::array<double, 2>>> contours(const Rle& rle);

}  // namespace lockstep::coco
