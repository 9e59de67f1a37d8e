#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/masks/rle.h"

namespace lockstep::coco {

/// One detection, as in COCO's results format.
struct Detection {
  ImageId imageId;
  CategoryId categoryId;
  double score = 0;
  std::array<double, 4> boxXywh{};  ///< px of the image file
  Rle mask;                         ///< height 0: the result has no mask
  /// Area that AP by size goes by, px; negative: the box's, as pycocotools takes it wherever
  /// results have boxes.
  double areaPx = -1;
};

/// JSON array in COCO's results format (compressed RLE). Numbers are written so that they read back
/// to the same double.
std::string detectionsToJson(const std::vector<Detection>& detections);
/// Reads a results file. A missing box is taken from the mask; where the first entry has none,
/// areas are the masks', as in pycocotools. Throws Error with file and position; polygons are
/// refused.
std::vector<Detection> loadDetections(const std::filesystem::path& file);
/// From the text of a JSON array; `name` stands for the file in messages.
std::vector<Detection> parseDetections(const std::string& json, const std::string& name);

}  // namespace lockstep::coco
