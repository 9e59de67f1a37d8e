#include "engine/eval/mask_rle.h"

namespace lockstep::eval {
namespace {

/// Collects pixels in COCO's order as alternating runs.
class RunCollector {
 public:
  void add(bool inside, std::int64_t pixels) {
    if (pixels == 0) return;  // a run of nothing would split its neighbours
    if (inside != inside_) {
      counts_.push_back(static_cast<std::uint32_t>(run_));
      inside_ = inside;
      run_ = 0;
    }
    run_ += pixels;
  }
  std::vector<std::uint32_t> finish() {
    counts_.push_back(static_cast<std::uint32_t>(run_));
    return std::move(counts_);
  }

 private:
  std::vector<std::uint32_t> counts_;
  std::int64_t run_ = 0;
  bool inside_ = false;
};

}  // namespace

coco::Rle toRle(const ops::MaskCrop& crop, const ops::ImageSize& size) {
  RunCollector runs;
  if (crop.width == 0 || crop.height == 0) {
    runs.add(false, size.height * size.width);
  } else {
    const std::int64_t below = size.height - crop.y - crop.height;
    runs.add(false, crop.x * size.height);
    for (std::int64_t x = 0; x < crop.width; ++x) {
      runs.add(false, crop.y);
      for (std::int64_t y = 0; y < crop.height; ++y)
        runs.add(crop.pixels[y * crop.width + x] != 0, 1);
      runs.add(false, below);
    }
    runs.add(false, (size.width - crop.x - crop.width) * size.height);
  }
  return {static_cast<int>(size.height), static_cast<int>(size.width), runs.finish()};
}

}  // namespace lockstep::eval
