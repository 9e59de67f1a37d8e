#pragma once

#include "engine/coco/check/picture.h"

namespace lockstep::worker {

/// Decodes images with OpenCV, and accepts what training does (data::readAnnotatedImage).
/// Thread-safe.
class DatasetPictures : public coco::PictureReader {
 public:
  DatasetPictures();
  coco::Picture read(const std::filesystem::path& file, base::ImageSize annotated) const override;
  std::vector<std::uint8_t> readBlocks(const std::filesystem::path& file, base::ImageSize size,
                                       base::ImageSize scaled) const override;
};

}  // namespace lockstep::worker
