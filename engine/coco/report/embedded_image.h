#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/image_header.h"

/// Image files that are embedded in the page. Used only in this folder.
namespace lockstep::coco::report {

struct EmbeddedImage {
  std::string missingReason;  ///< why it could not be embedded; empty: it is
  base::ImageHeader header;
  std::string dataUrl;  ///< of the file's bytes, unchanged
};

/// Embeds images of a folder until the page reaches its size limit.
class ImageEmbedder {
 public:
  explicit ImageEmbedder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// fileName is relative to the folder and must stay inside it.
  EmbeddedImage embed(const std::string& fileName);

 private:
  std::filesystem::path folder_;
  std::uint64_t bytesLeft_ = std::uint64_t{32} << 20;
};

}  // namespace lockstep::coco::report
