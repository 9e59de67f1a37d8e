#include "engine/model/anchors.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/config/pyramid.h"

namespace lockstep::model {
namespace {

/// Cache size. An entry takes 4 MiB at 800 x 1333 px; batches of COCO have some dozens of sizes.
constexpr std::size_t kMaxEntries = 64;

}  // namespace

AnchorGenerator::AnchorGenerator(const config::AnchorConfig& config)
    : cells_(config::anchorCells(config)) {}

at::Tensor AnchorGenerator::generate(const base::ImageSize& padded,
                                     const std::vector<base::ImageSize>& levels,
                                     structures::HostMemory memory) const {
  TORCH_CHECK(levels.size() == config::kPyramidLevels, "got ", levels.size(), " feature levels");
  std::int64_t count = 0;
  for (const base::ImageSize& level : levels)
    count += level.height * level.width * anchorsPerLocation();
  at::Tensor anchors = structures::makeBlock({{at::kFloat, {count, 4}}}, memory).front();
  float* out = anchors.data_ptr<float>();
  for (std::size_t l = 0; l < config::kPyramidLevels; ++l) {
    const std::int64_t strideY = padded.height / levels[l].height;
    const std::int64_t strideX = padded.width / levels[l].width;
    for (std::int64_t row = 0; row < levels[l].height; ++row) {
      for (std::int64_t column = 0; column < levels[l].width; ++column) {
        const auto x = static_cast<float>(column * strideX);
        const auto y = static_cast<float>(row * strideY);
        for (const config::AnchorCell& cell : cells_[l]) {
          *out++ = x + cell.x1;
          *out++ = y + cell.y1;
          *out++ = x + cell.x2;
          *out++ = y + cell.y2;
        }
      }
    }
  }
  return anchors;
}

at::Tensor AnchorCache::find(const base::ImageSize& padded,
                             const std::vector<base::ImageSize>& levels, const at::Device& device) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.padded == padded && entry.levels == levels && entry.anchors.device() == device;
  });
  if (found == entries_.end()) return {};
  std::rotate(entries_.begin(), found, found + 1);
  return entries_.front().anchors;
}

at::Tensor AnchorCache::anchors(const base::ImageSize& padded,
                                const std::vector<base::ImageSize>& levels,
                                const at::Device& device) {
  if (at::Tensor known = find(padded, levels, device); known.defined()) return known;
  const auto memory =
      device.is_cuda() ? structures::HostMemory::Pinned : structures::HostMemory::Pageable;
  const at::Tensor made =
      generator_.generate(padded, levels, memory).to(device, /*non_blocking=*/true);
  const std::lock_guard lock(mutex_);
  entries_.push_front({padded, levels, made});
  if (entries_.size() > kMaxEntries) entries_.pop_back();
  return made;
}

}  // namespace lockstep::model
