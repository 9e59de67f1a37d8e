#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/ids.h"
#include "engine/coco/masks/rle.h"

namespace lockstep::coco {

/// One detection, as in COCO's results format.
struct Detection {
  ImageId imageId;
  CategoryId categoryId;
  double score = 0;
  std::array<double, 4> boxXywh{};  ///< px of the image file
  Rle mask;                         ///< height 0: no mask
  /// Area for AP by object size, px; negative: the area of the box, which pycocotools uses if
  /// results have boxes.
  double areaPx = -1;
};

struct Image;
/// It has no mask, or one of the image's size.
bool fitsImage(const Detection& detection, const Image& image);

/// A mask of another size than its image.
class MaskSizeError : public Error {
 public:
  MaskSizeError(const Detection& detection, const Image& image);
  ImageId image() const { return image_; }

 private:
  ImageId image_;
};

/// Throws MaskSizeError unless it fits.
void requireMaskSize(const Detection& detection, const Image& image);

/// Of files, by the ids of their images.
using FileNames = std::map<std::int64_t, std::string>;
/// Of a mask in JSON: compressed RLE, or polygons along the edges of its pixels.
enum class MaskForm { Rle, Polygons };
/// JSON array in COCO's results format. Numbers are written with enough digits to read back as the
/// same double. With `names` every entry ends with the `file_name` of its image, which must be
/// among them.
std::string detectionsToJson(const std::vector<Detection>& detections,
                             MaskForm form = MaskForm::Rle, const FileNames* names = nullptr);
/// Reads a results file. A missing box is computed from the mask; if the first entry has no box,
/// areas are those of the masks, as in pycocotools. Throws Error with file and position, also for
/// polygons.
std::vector<Detection> loadDetections(const std::filesystem::path& file);
/// Parses the text of a JSON array; `name`: the file name for messages.
std::vector<Detection> parseDetections(const std::string& json, const std::string& name);

}  // namespace lockstep::coco
