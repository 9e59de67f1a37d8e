#include "engine/worker/label_places.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lockstep::worker {
namespace {

constexpr std::int64_t kMinObjectToOverlap =
    4;  ///< an object's area over that of its overlap with a label

std::int64_t areaPx(const PixelRect& rect) { return std::int64_t{rect.width} * rect.height; }

std::int64_t overlapPx(const PixelRect& a, const PixelRect& b) {
  const int width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const int height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return width > 0 && height > 0 ? std::int64_t{width} * height : 0;
}

class LabelPlacer {
 public:
  LabelPlacer(int width, int height, const std::vector<LabelRequest>& requests)
      : width_(width), height_(height), requests_(requests) {}

  std::optional<LabelPlacement> take(const LabelRequest& request) {
    for (std::size_t variant = 0; variant < request.variants.size(); ++variant) {
      for (const PixelRect& rect : candidates(request.object, request.variants[variant])) {
        if (!isFree(rect)) continue;
        taken_.push_back(rect);
        return LabelPlacement{variant, rect};
      }
    }
    return std::nullopt;
  }

 private:
  std::array<PixelRect, 3> candidates(const PixelRect& object, const PixelRect& variant) const {
    const int x = std::clamp(object.x, 0, std::max(0, width_ - variant.width));
    std::array<PixelRect, 3> rects;
    rects.fill({x, object.y, variant.width, variant.height});
    rects[0].y -= variant.height;
    rects[1].y += object.height;
    return rects;
  }

  bool isFree(const PixelRect& rect) const {
    const bool isInside = rect.y >= 0 && rect.y + rect.height <= height_ && rect.width <= width_;
    return isInside &&
           std::ranges::none_of(taken_,
                                [&](const auto& other) { return overlapPx(rect, other); }) &&
           std::ranges::none_of(requests_, [&](const LabelRequest& other) {
             return overlapPx(rect, other.object) * kMinObjectToOverlap > areaPx(other.object);
           });
  }

  int width_, height_;
  const std::vector<LabelRequest>& requests_;
  std::vector<PixelRect> taken_;
};

}  // namespace

std::vector<std::optional<LabelPlacement>> placeLabels(int imageWidth, int imageHeight,
                                                       const std::vector<LabelRequest>& requests) {
  LabelPlacer placer(imageWidth, imageHeight, requests);
  std::vector<std::optional<LabelPlacement>> result;
  for (const LabelRequest& request : requests) result.push_back(placer.take(request));
  return result;
}

}  // namespace lockstep::worker
