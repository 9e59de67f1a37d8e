#include "engine/worker/prediction_picture.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "engine/base/error.h"

namespace lockstep::worker {
namespace {

/// The same shape, with the longest side at most kPictureSidePx.
cv::Size pictureSize(const data::RgbImage& image) {
  const int longest = std::max(image.width, image.height);
  if (longest <= kPictureSidePx) return {image.width, image.height};
  const double scale = static_cast<double>(kPictureSidePx) / longest;
  return {std::max(cvRound(image.width * scale), 1), std::max(cvRound(image.height * scale), 1)};
}

data::RgbImage resized(const data::RgbImage& image, cv::Size size) {
  data::RgbImage result(size.width, size.height);
  const cv::Mat from(image.height, image.width, CV_8UC3, image.pixels.get());
  cv::Mat to(size, CV_8UC3, result.pixels.get());
  cv::resize(from, to, size, 0, 0, cv::INTER_AREA);
  return result;
}

/// A pixel belongs to the mask when at least half of it does.
coco::Rle resized(const coco::Rle& mask, cv::Size size) {
  const coco::MaskCrop cut = coco::crop(mask);
  cv::Mat picture = cv::Mat::zeros(size, CV_8UC1);
  if (cut.width > 0 && cut.height > 0) {
    const double x = static_cast<double>(size.width) / mask.width;
    const double y = static_cast<double>(size.height) / mask.height;
    const cv::Point begin(cvFloor(cut.x * x), cvFloor(cut.y * y));
    const cv::Point end(std::min(cvCeil((cut.x + cut.width) * x), size.width),
                        std::min(cvCeil((cut.y + cut.height) * y), size.height));
    const cv::Mat pixels(cut.height, cut.width, CV_8UC1,
                         const_cast<std::uint8_t*>(cut.pixels.data()));
    cv::Mat part = picture(cv::Rect(begin, end)), smaller;
    cv::resize(pixels * 255, smaller, part.size(), 0, 0, cv::INTER_AREA);
    cv::threshold(smaller, part, 127, 1, cv::THRESH_BINARY);
  }
  return coco::encodeMask(picture.data, size.height, size.width,
                          static_cast<std::ptrdiff_t>(picture.step));
}

coco::Detection resized(const coco::Detection& detection, base::ImageSize from, cv::Size to) {
  const double x = static_cast<double>(to.width) / static_cast<double>(from.width);
  const double y = static_cast<double>(to.height) / static_cast<double>(from.height);
  const auto& box = detection.boxXywh;
  coco::Detection result{detection.imageId,
                         detection.categoryId,
                         detection.score,
                         {box[0] * x, box[1] * y, box[2] * x, box[3] * y},
                         {}};
  if (detection.mask.height > 0) result.mask = resized(detection.mask, to);
  return result;
}

}  // namespace

OverlayPainter& PredictionPicturePainter::painterFor(
    const std::vector<coco::Category>& categories) {
  if (painter_) return *painter_;
  std::vector<CategoryId> ids;
  std::vector<std::string> names;
  for (const coco::Category& category : categories) {
    ids.push_back(category.id);
    names.push_back(category.name);
  }
  return painter_.emplace(std::move(ids), std::move(names));
}

base::ImageSize PredictionPicturePainter::draw(const train::PredictedImage& predicted,
                                               const std::vector<coco::Category>& categories,
                                               const std::filesystem::path& png) try {
  data::RgbImage image = data::readAnnotatedImage(predicted.file, predicted.annotatedSize);
  const cv::Size size = pictureSize(image);
  const bool isSmaller = size != cv::Size(image.width, image.height);
  std::vector<coco::Detection> detections;
  for (const coco::Detection& detection : predicted.detections) {
    if (detection.score < kPictureScore) continue;
    detections.push_back(isSmaller ? resized(detection, image.size(), size) : detection);
  }
  if (isSmaller) image = resized(image, size);
  painterFor(categories).draw(image, detections);
  data::writeImage(image, png);
  return image.size();
} catch (const cv::Exception& error) {
  throw Error(predicted.file.string() + ": cannot be drawn: " + error.err);
}

}  // namespace lockstep::worker
