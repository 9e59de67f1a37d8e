#pragma once

#include "engine/dataset_check/picture.h"

namespace lockstep::worker {

/// Decodes images with OpenCV, and accepts what training does (data::readAnnotatedImage).
/// Thread-safe.
class DatasetPictures : public dataset_check::PictureReader {
 public:
  DatasetPictures();
  dataset_check::Picture read(const std::filesystem::path& file,
                              base::ImageSize annotated) const override;
  std::vector<std::uint8_t> readBlocks(const std::filesystem::path& file, base::ImageSize size,
                                       base::ImageSize scaled) const override;
};

}  // namespace lockstep::worker
