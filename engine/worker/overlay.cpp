#include "engine/worker/overlay.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <opencv2/imgproc.hpp>

namespace lockstep::worker {
namespace {

/// Okabe and Ito's colours, told apart with every kind of colour vision. RGB.
const std::array<cv::Scalar, 7> kColours{cv::Scalar(0, 114, 178),  cv::Scalar(213, 94, 0),
                                         cv::Scalar(0, 158, 115),  cv::Scalar(204, 121, 167),
                                         cv::Scalar(86, 180, 233), cv::Scalar(230, 159, 0),
                                         cv::Scalar(240, 228, 66)};
constexpr double kTint = 0.4;  ///< share of the colour inside a mask

std::size_t classOf(const coco::Detection& detection, const train::LoadedModel& loaded) {
  const auto found = std::ranges::find(loaded.categories, detection.categoryId);
  return found - loaded.categories.begin();
}

std::string labelOf(const coco::Detection& detection, const train::LoadedModel& loaded) {
  const std::size_t index = classOf(detection, loaded);
  const std::string name = index < loaded.categoryNames.size()
                               ? loaded.categoryNames[index]
                               : std::to_string(detection.categoryId.value);
  char score[16];
  std::snprintf(score, sizeof score, " %.2f", detection.score);
  return name + score;
}

void tintMask(cv::Mat& picture, const coco::Rle& rle, const cv::Scalar& colour) {
  const std::vector<std::uint8_t> pixels = coco::decodeMask(rle);
  const cv::Mat mask(rle.height, rle.width, CV_8UC1, const_cast<std::uint8_t*>(pixels.data()));
  cv::Mat tinted;
  cv::addWeighted(picture, 1 - kTint, cv::Mat(picture.size(), CV_8UC3, colour), kTint, 0, tinted);
  tinted.copyTo(picture, mask);
  std::vector<std::vector<cv::Point>> outlines;
  cv::findContours(mask, outlines, cv::RETR_CCOMP, cv::CHAIN_APPROX_NONE);
  cv::drawContours(picture, outlines, -1, colour, 1, cv::LINE_AA);
}

void drawLabel(cv::Mat& picture, const std::string& label, const cv::Point& corner,
               const cv::Scalar& colour) {
  constexpr double kScale = 0.4;
  int baseline = 0;
  const cv::Size size = cv::getTextSize(label, cv::FONT_HERSHEY_SIMPLEX, kScale, 1, &baseline);
  const cv::Point at(std::clamp(corner.x, 0, std::max(0, picture.cols - size.width - 2)),
                     std::max(corner.y - 3, size.height + 2));
  cv::rectangle(picture, at + cv::Point(0, baseline - 2),
                at + cv::Point(size.width + 2, -size.height - 2), colour, cv::FILLED);
  cv::putText(picture, label, at + cv::Point(1, 0), cv::FONT_HERSHEY_SIMPLEX, kScale,
              cv::Scalar::all(255), 1, cv::LINE_AA);
}

}  // namespace

void drawDetections(data::RgbImage& image, const std::vector<coco::Detection>& detections,
                    const train::LoadedModel& loaded) {
  cv::Mat picture(image.height, image.width, CV_8UC3, image.pixels.get());
  for (auto detection = detections.rbegin(); detection != detections.rend(); ++detection) {
    const cv::Scalar& colour = kColours[classOf(*detection, loaded) % kColours.size()];
    if (detection->mask.height > 0) tintMask(picture, detection->mask, colour);
    const auto& box = detection->boxXywh;
    const cv::Point corner(cvRound(box[0]), cvRound(box[1]));
    cv::rectangle(picture, corner, cv::Point(cvRound(box[0] + box[2]), cvRound(box[1] + box[3])),
                  colour, 1);
    drawLabel(picture, labelOf(*detection, loaded), corner, colour);
  }
}

}  // namespace lockstep::worker
