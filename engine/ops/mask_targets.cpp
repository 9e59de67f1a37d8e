#include "engine/ops/mask_targets.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/ops/roi_align.h"
#include "engine/ops/roi_sampling.h"

namespace lockstep::ops {
namespace {

/// mask [H,W] -> out [bins,bins]. First the rows of a bin into one weighted row, then its columns.
void crop(const std::uint8_t* mask, std::int64_t width, const RegionTaps& region,
          std::vector<float>& line, float* out) {
  const AxisTaps &rows = region.rows, &columns = region.columns;
  if (columns.taps.empty()) return;
  const std::int32_t left = columns.taps.front().pixel, right = columns.taps.back().pixel;
  const std::size_t bins = columns.begin.size() - 1;
  for (std::size_t i = 0; i + 1 < rows.begin.size(); ++i, out += bins) {
    line.assign(right - left + 1, 0.0f);
    for (std::int32_t r = rows.begin[i]; r < rows.begin[i + 1]; ++r) {
      const std::uint8_t* row = mask + rows.taps[r].pixel * width + left;
      const float weight = rows.taps[r].weight;
      for (std::size_t x = 0; x < line.size(); ++x) line[x] += weight * static_cast<float>(row[x]);
    }
    for (std::size_t j = 0; j < bins; ++j) {
      float sum = 0;
      for (std::int32_t k = columns.begin[j]; k < columns.begin[j + 1]; ++k) {
        sum += columns.taps[k].weight * line[columns.taps[k].pixel - left];
      }
      out[j] = sum;
    }
  }
}

at::Tensor targetsOnCpu(const at::Tensor& gtMasks, const at::Tensor& boxesXyxy,
                        const at::Tensor& matches, const RoiAlignShape& shape) {
  const at::Tensor masks = gtMasks.contiguous(), boxes = boxesXyxy.contiguous();
  const at::Tensor indices = matches.contiguous();
  const std::int64_t height = masks.size(1), width = masks.size(2);
  at::Tensor out = at::zeros({boxes.size(0), shape.height, shape.width}, at::kFloat);
  at::parallel_for(0, boxes.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> line;
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t match = indices.const_data_ptr<std::int64_t>()[p];
      TORCH_CHECK(match >= 0 && match < masks.size(0), "matches[", p, "] is ", match, " of ",
                  masks.size(0), " masks");
      const float* box = boxes.const_data_ptr<float>() + 4 * p;
      crop(masks.const_data_ptr<std::uint8_t>() + match * height * width, width,
           regionTaps(box, 1.0f, height, width, shape), line,
           out.data_ptr<float>() + p * shape.height * shape.width);
    }
  });
  return out;
}

}  // namespace

at::Tensor maskTargets(const at::Tensor& gtMasks, const at::Tensor& boxesXyxy,
                       const at::Tensor& matches, std::int64_t side) {
  TORCH_CHECK(gtMasks.dim() == 3 && gtMasks.scalar_type() == at::kByte,
              "gtMasks must be [G,H,W] uint8, got ", gtMasks.sizes(), " ", gtMasks.scalar_type());
  TORCH_CHECK(
      boxesXyxy.dim() == 2 && boxesXyxy.size(1) == 4 && boxesXyxy.scalar_type() == at::kFloat,
      "boxes must be [P,4] float32, got ", boxesXyxy.sizes());
  TORCH_CHECK(matches.dim() == 1 && matches.size(0) == boxesXyxy.size(0) &&
                  matches.scalar_type() == at::kLong,
              "matches must be [", boxesXyxy.size(0), "] int64, got ", matches.sizes());
  const RoiAlignShape shape{side, side, 0};
  if (gtMasks.is_cpu()) return targetsOnCpu(gtMasks, boxesXyxy, matches, shape);
  const at::Tensor rois = at::cat({matches.unsqueeze(1).to(at::kFloat), boxesXyxy}, 1);
  return roiAlign(gtMasks.unsqueeze(1).to(at::kFloat), rois, 1.0, shape).squeeze(1);
}

}  // namespace lockstep::ops
