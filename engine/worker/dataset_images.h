#pragma once

#include "engine/formats/source.h"

namespace lockstep::worker {

/// Sizes and label images with OpenCV. Thread-safe.
class DatasetImages : public formats::ImageCodec {
 public:
  formats::ImageFacts factsOf(const std::filesystem::path& image) const override;
  formats::LabelImage labelsOf(const std::filesystem::path& image,
                               std::int64_t maxPixels) const override;
  formats::LabelImage decodeLabels(const std::string& bytes, const std::string& name,
                                   std::int64_t maxPixels) const override;
  std::string encodeLabels(const formats::LabelImage& labels) const override;
};

}  // namespace lockstep::worker
