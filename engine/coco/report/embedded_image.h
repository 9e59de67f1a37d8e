#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/coco/report/image_header.h"

/// Image files inside the page. Used by this folder alone.
namespace lockstep::coco::report {

std::string base64(std::string_view bytes);

struct EmbeddedImage {
  std::string fault;  ///< why it is not there; empty: it is
  ImageHeader header;
  std::string dataUrl;  ///< of the file's own bytes
};

/// Takes images of a folder while they fit into the page.
class ImageEmbedder {
 public:
  explicit ImageEmbedder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// fileName is relative to the folder and may not leave it.
  EmbeddedImage embed(const std::string& fileName);

 private:
  std::filesystem::path folder_;
  std::uint64_t bytesLeft_ = std::uint64_t{32} << 20;
};

}  // namespace lockstep::coco::report
