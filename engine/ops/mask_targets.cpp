#include "engine/ops/mask_targets.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/ops/mask_targets_cuda.h"
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

/// The mask of an object, and where it lies in memory.
struct ObjectMask {
  const std::uint8_t* pixels;
  std::int64_t height, width;
};

ObjectMask maskOf(const std::vector<at::Tensor>& masks, std::int64_t image, std::int64_t object) {
  TORCH_CHECK(image < static_cast<std::int64_t>(masks.size()), "a region is of image ", image,
              " of ", masks.size());
  const at::Tensor& own = masks[static_cast<std::size_t>(image)];
  const std::int64_t count = own.defined() ? own.size(0) : 0;
  TORCH_CHECK(object >= 0 && object < count, "a region is of object ", object, " of ", count,
              " of image ", image);
  return {own.const_data_ptr<std::uint8_t>() + object * own.size(1) * own.size(2), own.size(1),
          own.size(2)};
}

at::Tensor targetsOnCpu(const std::vector<at::Tensor>& masks, const MaskRegions& regions,
                        const RoiAlignShape& shape) {
  const at::Tensor boxes = regions.boxesXyxy.contiguous();
  const at::Tensor images = regions.images.contiguous(), objects = regions.objects.contiguous();
  at::Tensor out = at::zeros({boxes.size(0), shape.height, shape.width}, at::kFloat);
  at::parallel_for(0, boxes.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> line;
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t image = images.const_data_ptr<std::int64_t>()[p];
      if (image < 0) continue;
      const ObjectMask mask = maskOf(masks, image, objects.const_data_ptr<std::int64_t>()[p]);
      const float* box = boxes.const_data_ptr<float>() + 4 * p;
      crop(mask.pixels, mask.width, regionTaps(box, 1.0f, mask.height, mask.width, shape), line,
           out.data_ptr<float>() + p * shape.height * shape.width);
    }
  });
  return out;
}

void checkMasks(const std::vector<at::Tensor>& masks, const at::Device& device) {
  for (const at::Tensor& mask : masks) {
    if (!mask.defined()) continue;
    TORCH_CHECK(mask.dim() == 3 && mask.scalar_type() == at::kByte && mask.device() == device,
                "masks must be [G,H,W] uint8 beside the boxes, got ", mask.sizes(), " ",
                mask.scalar_type());
  }
}

}  // namespace

at::Tensor maskTargets(const std::vector<at::Tensor>& masks, const MaskRegions& regions,
                       std::int64_t side) {
  const at::Tensor& boxes = regions.boxesXyxy;
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4 && boxes.scalar_type() == at::kFloat,
              "boxes must be [P,4] float32, got ", boxes.sizes());
  for (const at::Tensor& index : {regions.images, regions.objects}) {
    TORCH_CHECK(
        index.dim() == 1 && index.size(0) == boxes.size(0) && index.scalar_type() == at::kLong,
        "images and objects must be [", boxes.size(0), "] int64, got ", index.sizes());
  }
  checkMasks(masks, boxes.device());
  std::vector<at::Tensor> whole;
  for (const at::Tensor& mask : masks) whole.push_back(mask.defined() ? mask.contiguous() : mask);
#ifdef LOCKSTEP_CUDA
  if (boxes.is_cuda()) return maskTargetsCuda(whole, regions, side);
#endif
  TORCH_CHECK(boxes.is_cpu(), "this program was built without kernels for ", boxes.device());
  return targetsOnCpu(whole, regions, {side, side, 0});
}

}  // namespace lockstep::ops
