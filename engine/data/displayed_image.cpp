#include "engine/data/displayed_image.h"

#include <opencv2/core.hpp>

#include "engine/base/image_header.h"
#include "engine/coco/masks/orientation.h"

namespace lockstep::data {
namespace {

/// `orientation`: EXIF's, 1 … 8.
cv::Mat turned(const cv::Mat& stored, int orientation) {
  constexpr int kLeftRight = 1, kUpDown = 0, kBoth = -1;
  cv::Mat turned = stored;
  if (coco::swapsSides(orientation)) cv::transpose(stored, turned);
  if (orientation == 2 || orientation == 6) cv::flip(turned, turned, kLeftRight);
  if (orientation == 4 || orientation == 8) cv::flip(turned, turned, kUpDown);
  if (orientation == 3 || orientation == 7) cv::flip(turned, turned, kBoth);
  return turned;
}

}  // namespace

cv::Mat displayedImage(const cv::Mat& decoded, std::string_view fileBytes) {
  const auto header = base::readImageHeader(fileBytes);
  const bool isWebp = header && std::string_view(header->mime) == "image/webp";
  return isWebp ? turned(decoded, header->exifOrientation) : decoded;
}

}  // namespace lockstep::data
