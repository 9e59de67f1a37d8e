#include "engine/worker/label_places.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lockstep::worker {
namespace {

constexpr std::int64_t kLeastPartsOfObject = 4;  ///< a label covers one of them at most

std::int64_t areaPx(const PixelRect& rect) { return std::int64_t{rect.width} * rect.height; }

std::int64_t overlapPx(const PixelRect& a, const PixelRect& b) {
  const int width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const int height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return width > 0 && height > 0 ? std::int64_t{width} * height : 0;
}

class Places {
 public:
  Places(int width, int height, const std::vector<LabelWish>& wishes)
      : width_(width), height_(height), wishes_(wishes) {}

  std::optional<LabelPlace> take(const LabelWish& wish) {
    for (std::size_t form = 0; form < wish.forms.size(); ++form) {
      for (const PixelRect& rect : corners(wish.object, wish.forms[form])) {
        if (!isFree(rect)) continue;
        taken_.push_back(rect);
        return LabelPlace{form, rect};
      }
    }
    return std::nullopt;
  }

 private:
  std::array<PixelRect, 3> corners(const PixelRect& object, const PixelRect& form) const {
    const int x = std::clamp(object.x, 0, std::max(0, width_ - form.width));
    std::array<PixelRect, 3> rects;
    rects.fill({x, object.y, form.width, form.height});
    rects[0].y -= form.height;
    rects[1].y += object.height;
    return rects;
  }

  bool isFree(const PixelRect& rect) const {
    const bool isInside = rect.y >= 0 && rect.y + rect.height <= height_ && rect.width <= width_;
    return isInside &&
           std::ranges::none_of(taken_,
                                [&](const auto& other) { return overlapPx(rect, other); }) &&
           std::ranges::none_of(wishes_, [&](const LabelWish& other) {
             return overlapPx(rect, other.object) * kLeastPartsOfObject > areaPx(other.object);
           });
  }

  int width_, height_;
  const std::vector<LabelWish>& wishes_;
  std::vector<PixelRect> taken_;
};

}  // namespace

std::vector<std::optional<LabelPlace>> placeLabels(int pictureWidth, int pictureHeight,
                                                   const std::vector<LabelWish>& wishes) {
  Places places(pictureWidth, pictureHeight, wishes);
  std::vector<std::optional<LabelPlace>> result;
  for (const LabelWish& wish : wishes) result.push_back(places.take(wish));
  return result;
}

}  // namespace lockstep::worker
