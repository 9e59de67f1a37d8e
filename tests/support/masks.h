#pragma once

// Torch before Qt: see torch.h. Also for programs without Qt.
#ifndef Q_MOC_RUN
#include <ATen/ATen.h>

#include "engine/structures/ground_truth.h"

namespace lockstep::tests {

/// masks [G,H,W] uint8 -> the same, cropped to their non-zero pixels.
inline structures::CroppedMasks cropped(const at::Tensor& masks) {
  std::vector<at::Tensor> crops{at::empty({0}, at::kByte)};
  at::Tensor windows = at::zeros({masks.size(0), structures::kMaskWindowFields}, at::kLong);
  std::int64_t firstByte = 0;
  for (std::int64_t g = 0; g < masks.size(0); ++g) {
    windows[g][0] = firstByte;
    const at::Tensor inside = masks[g].nonzero();
    if (inside.size(0) == 0) continue;
    const at::Tensor low = std::get<0>(inside.min(0)), high = std::get<0>(inside.max(0)) + 1;
    const auto top = low[0].item<std::int64_t>(), left = low[1].item<std::int64_t>();
    const auto bottom = high[0].item<std::int64_t>(), right = high[1].item<std::int64_t>();
    crops.push_back(masks[g].slice(0, top, bottom).slice(1, left, right).flatten());
    windows[g][1] = left;
    windows[g][2] = top;
    windows[g][3] = right - left;
    windows[g][4] = bottom - top;
    firstByte += crops.back().numel();
  }
  return {at::cat(crops), windows, {masks.size(1), masks.size(2)}};
}

/// -> [G,H,W] uint8
inline at::Tensor wholeMasks(const structures::CroppedMasks& masks) {
  const std::int64_t count = masks.windows.size(0);
  at::Tensor whole = at::zeros({count, masks.size.height, masks.size.width}, at::kByte);
  for (std::int64_t g = 0; g < count; ++g) {
    const auto field = [&](int i) { return masks.windows[g][i].item<std::int64_t>(); };
    const std::int64_t left = field(1), top = field(2), width = field(3), height = field(4);
    whole[g].slice(0, top, top + height).slice(1, left, left + width) =
        masks.pixels.slice(0, field(0), field(0) + width * height).view({height, width});
  }
  return whole;
}

/// One image of a batch on the host.
inline structures::GtInstances instancesOf(const structures::GtBatch& batch, std::int64_t n) {
  const auto count = batch.counts[n].item<std::int64_t>();
  const at::Tensor& size = batch.masks.sizes[n];
  return {batch.boxesXyxy[n].slice(0, 0, count),
          batch.classes[n].slice(0, 0, count),
          {batch.masks.pixels,
           batch.masks.windows[n].slice(0, 0, count),
           {size[0].item<std::int64_t>(), size[1].item<std::int64_t>()}}};
}

}  // namespace lockstep::tests
#endif
