#include "engine/worker/overlay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <opencv2/imgproc.hpp>

#include "engine/worker/label_places.h"

namespace lockstep::worker {
namespace {

/// The colour-blind-safe palette of Okabe and Ito. RGB.
const std::array<cv::Scalar, 7> kColours{cv::Scalar(0, 114, 178),  cv::Scalar(213, 94, 0),
                                         cv::Scalar(0, 158, 115),  cv::Scalar(204, 121, 167),
                                         cv::Scalar(86, 180, 233), cv::Scalar(230, 159, 0),
                                         cv::Scalar(240, 228, 66)};
constexpr double kTint = 0.4;             ///< opacity of the colour inside a mask
constexpr double kLabelBackground = 0.6;  ///< opacity of the colour behind text
constexpr int kPaddingPx = 2;             ///< beside the text
constexpr double kLightBackground = 140;  ///< luma above which the text on a colour is black

/// Text height for the longest side of an image, px.
int textHeight(const data::RgbImage& image) {
  const int side = std::max(image.width, image.height);
  return side < 1200 ? 11 : side < 1600 ? 14 : side < 2400 ? 18 : 22;
}

int lineWidth(int textHeightPx) { return textHeightPx < 18 ? 1 : 2; }

double lightness(const cv::Scalar& rgb) { return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]; }

PixelRect boxOf(const coco::Detection& detection) {
  const auto& box = detection.boxXywh;
  const int x = cvRound(box[0]), y = cvRound(box[1]);
  return {x, y, cvRound(box[0] + box[2]) - x, cvRound(box[1] + box[3]) - y};
}

/// ASCII text in OpenCV's built-in stroke font, for machines without fonts.
Ink strokes(const std::string& ascii, int heightPx) {
  constexpr double kHeightOfScaleOne = 30;
  const double scale = heightPx / kHeightOfScaleOne;
  int below = 0;
  const cv::Size size = cv::getTextSize(ascii, cv::FONT_HERSHEY_SIMPLEX, scale, 1, &below);
  cv::Mat picture = cv::Mat::zeros(size.height + below + 1, size.width + 1, CV_8UC1);
  cv::putText(picture, ascii, {0, size.height}, cv::FONT_HERSHEY_SIMPLEX, scale,
              cv::Scalar::all(255), 1, cv::LINE_AA);
  return {picture.cols, picture.rows, size.height, {picture.begin<uchar>(), picture.end<uchar>()}};
}

/// `second` to the right of `first` on one baseline.
Ink concatenated(const Ink& first, const Ink& second, int gapPx) {
  const int baseline = std::max(first.baseline, second.baseline);
  const int below = std::max(first.height - first.baseline, second.height - second.baseline);
  Ink both{first.width + gapPx + second.width, baseline + below, baseline, {}};
  both.coverage.resize(static_cast<std::size_t>(both.width) *
                       static_cast<std::size_t>(both.height));
  int x = 0;
  for (const Ink* part : {&first, &second}) {
    for (int y = 0; y < part->height; ++y)
      std::copy_n(
          part->coverage.begin() + std::ptrdiff_t{y} * part->width, part->width,
          both.coverage.begin() + std::ptrdiff_t{y + baseline - part->baseline} * both.width + x);
    x += part->width + gapPx;
  }
  return both;
}

/// Blends a rectangle of the image with a colour at opacity `share`; clips it to the image.
void tint(cv::Mat& picture, cv::Rect rect, const cv::Scalar& colour, double share) {
  rect &= cv::Rect({0, 0}, picture.size());
  if (rect.empty()) return;
  cv::Mat part = picture(rect);
  cv::addWeighted(part, 1 - share, cv::Mat(part.size(), CV_8UC3, colour), share, 0, part);
}

/// Tints and outlines a mask within its own box.
void drawMask(cv::Mat& picture, const coco::Rle& rle, const cv::Scalar& colour, int linePx) {
  const coco::MaskCrop cut = coco::crop(rle);
  const cv::Rect rect(cut.x, cut.y, cut.width, cut.height);
  if (rect.empty() || (rect & cv::Rect({0, 0}, picture.size())) != rect) return;
  const cv::Mat mask(cut.height, cut.width, CV_8UC1, const_cast<std::uint8_t*>(cut.pixels.data()));
  cv::Mat part = picture(rect), tinted = part.clone();
  tint(tinted, {{0, 0}, tinted.size()}, colour, kTint);
  tinted.copyTo(part, mask);
  std::vector<std::vector<cv::Point>> outlines;
  cv::findContours(mask, outlines, cv::RETR_CCOMP, cv::CHAIN_APPROX_NONE);
  cv::drawContours(picture, outlines, -1, colour, linePx, cv::LINE_AA, cv::noArray(), INT_MAX,
                   rect.tl());
}

void drawText(cv::Mat& picture, const Ink& ink, const PixelRect& place, const cv::Scalar& colour) {
  tint(picture, {place.x, place.y, place.width, place.height}, colour, kLabelBackground);
  const int textLevel = lightness(colour) > kLightBackground ? 0 : 255;
  for (int y = 0; y < ink.height; ++y) {
    for (int x = 0; x < ink.width; ++x) {
      const cv::Point at(place.x + kPaddingPx + x, place.y + y);
      const int covered = ink.coverage[static_cast<std::size_t>(y * ink.width + x)];
      if (covered == 0 || !cv::Rect({0, 0}, picture.size()).contains(at)) continue;
      for (uchar& channel : picture.at<cv::Vec3b>(at).val)
        channel = static_cast<uchar>((channel * (255 - covered) + textLevel * covered) / 255);
    }
  }
}

}  // namespace

/// Variants of a label, the most detailed first.
struct OverlayPainter::Label {
  std::vector<Ink> variants;
};

OverlayPainter::OverlayPainter(std::vector<CategoryId> categories, std::vector<std::string> names)
    : categories_(std::move(categories)), names_(std::move(names)) {}

std::size_t OverlayPainter::classOf(CategoryId category) const {
  return static_cast<std::size_t>(std::ranges::find(categories_, category) - categories_.begin());
}

OverlayPainter::TextCache& OverlayPainter::textFor(const data::RgbImage& image) {
  const int height = textHeight(image);
  return text_.try_emplace(height, fonts_, height).first->second;
}

const Ink& OverlayPainter::className(TextCache& cache, CategoryId category) {
  const auto found = cache.classes.find(category);
  if (found != cache.classes.end()) return found->second;
  const std::size_t index = classOf(category);
  const std::string id = std::to_string(category.value);
  std::optional<Ink> ink = cache.text.draw(index < names_.size() ? names_[index] : id);
  if (!ink) ink = cache.text.draw(id);
  return cache.classes[category] = ink ? std::move(*ink) : strokes(id, cache.height);
}

const Ink& OverlayPainter::score(TextCache& cache, double score) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", score);
  const auto found = cache.scores.find(text);
  if (found != cache.scores.end()) return found->second;
  std::optional<Ink> ink = cache.text.draw(text);
  return cache.scores[text] = ink ? std::move(*ink) : strokes(text, cache.height);
}

std::vector<OverlayPainter::Label> OverlayPainter::labelsOf(
    TextCache& cache, const std::vector<coco::Detection>& detections, LabelContent content) {
  std::vector<Label> labels;
  for (const coco::Detection& detection : detections) {
    if (content == LabelContent::Name) {
      labels.push_back({{className(cache, detection.categoryId)}});
      continue;
    }
    const Ink& figure = score(cache, detection.score);
    labels.push_back(
        {{concatenated(className(cache, detection.categoryId), figure, cache.height / 3), figure}});
  }
  return labels;
}

void OverlayPainter::draw(data::RgbImage& image, const std::vector<coco::Detection>& detections,
                          LabelContent content) {
  cv::Mat picture(image.height, image.width, CV_8UC3, image.pixels.get());
  TextCache& cache = textFor(image);
  const int linePx = lineWidth(cache.height);
  const auto colourOf = [this](const coco::Detection& detection) -> const cv::Scalar& {
    return kColours[classOf(detection.categoryId) % kColours.size()];
  };
  for (auto detection = detections.rbegin(); detection != detections.rend(); ++detection) {
    if (detection->mask.height > 0)
      drawMask(picture, detection->mask, colourOf(*detection), linePx);
    const PixelRect box = boxOf(*detection);
    cv::rectangle(picture, {box.x, box.y}, {box.x + box.width, box.y + box.height},
                  colourOf(*detection), linePx);
  }
  const std::vector<Label> labels = labelsOf(cache, detections, content);
  std::vector<LabelRequest> requests;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    requests.push_back({boxOf(detections[i]), {}});
    for (const Ink& variant : labels[i].variants)
      requests.back().variants.push_back({0, 0, variant.width + 2 * kPaddingPx, variant.height});
  }
  const auto places = placeLabels(image.width, image.height, requests);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i])
      drawText(picture, labels[i].variants[places[i]->variant], places[i]->rect,
               colourOf(detections[i]));
}

}  // namespace lockstep::worker
