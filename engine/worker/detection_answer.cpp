#include "engine/worker/detection_answer.h"

#include <algorithm>
#include <opencv2/imgcodecs.hpp>

#include "engine/base/error.h"
#include "engine/coco/files/results.h"
#include "engine/data/image_file.h"
#include "engine/formats/label_masks.h"

namespace lockstep::worker {
namespace {

using Detections = std::vector<coco::Detection>;
using protocol::AnswerForm;

Detections askedOf(const Detections& all, const protocol::DetectImage& asked) {
  const auto& ids = asked.categoryIds;
  Detections some;
  for (const coco::Detection& each : all)
    if (each.score >= asked.scoreThreshold &&
        (ids.empty() || std::ranges::find(ids, each.categoryId.value) != ids.end()))
      some.push_back(each);
  return some;
}

/// A pixel's value is the number of its detection from 1, by falling score; 0: none.
std::string labelPng(const Detections& detections, base::ImageSize size) {
  std::vector<const coco::Rle*> masks;
  for (const coco::Detection& each : detections) masks.push_back(&each.mask);
  const formats::LabelImage labels = formats::numberedMasks(masks, size);
  const bool isWide = masks.size() > 255;
  cv::Mat image(labels.height, labels.width, isWide ? CV_16UC1 : CV_8UC1);
  std::size_t at = 0;
  for (int y = 0; y < labels.height; ++y)
    for (int x = 0; x < labels.width; ++x, ++at)
      if (isWide)
        image.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(labels.ids[at]);
      else
        image.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(labels.ids[at]);
  std::vector<unsigned char> bytes;
  if (!cv::imencode(".png", image, bytes)) throw Error("the label image cannot be encoded");
  return {bytes.begin(), bytes.end()};
}

}  // namespace

DetectionAnswers::DetectionAnswers(const std::vector<CategoryId>& categories,
                                   const std::vector<std::string>& names)
    : painter_(categories, names) {}

std::string DetectionAnswers::answer(const protocol::DetectImage& asked,
                                     const eval::DetectedFile& detected) {
  const Detections detections = askedOf(detected.detections, asked);
  switch (asked.form) {
    case AnswerForm::Results:
      return coco::detectionsToJson(detections);
    case AnswerForm::Polygons:
      return coco::detectionsToJson(detections, coco::MaskForm::Polygons);
    case AnswerForm::Labels:
      return labelPng(detections, detected.size);
    case AnswerForm::Overlay:
      return overlay(asked, detections);
  }
  throw Error("unknown form");
}

std::string DetectionAnswers::overlay(const protocol::DetectImage& asked,
                                      const Detections& detections) {
  data::RgbImage image = data::readImage(asked.file);
  {
    const std::lock_guard guard(painting_);
    painter_.draw(image, detections);
  }
  return data::encodeImage(image, "overlay.png");
}

}  // namespace lockstep::worker
