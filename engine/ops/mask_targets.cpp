#include "engine/ops/mask_targets.h"

#include <ATen/ATen.h>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

constexpr DispatchStub<MaskTargetsKernel> kMaskTargetsStub{cpu::maskTargets,
                                                           LOCKSTEP_CUDA_KERNEL(cuda::maskTargets)};

void checkMasks(const structures::GtMasks& masks, const at::Device& device) {
  TORCH_CHECK(masks.windows.dim() == 3 && masks.windows.size(2) == structures::kMaskWindowFields &&
                  masks.sizes.size(0) == masks.imageCount() && masks.pixels.dim() == 1 &&
                  masks.pixels.scalar_type() == at::kByte,
              "masks must have windows [N,G,", structures::kMaskWindowFields, "] and bytes, got ",
              masks.windows.sizes(), " and ", masks.pixels.sizes());
  for (const at::Tensor& tensor : {masks.pixels, masks.windows, masks.sizes}) {
    TORCH_CHECK(tensor.device() == device && tensor.is_contiguous(),
                "masks must be beside the boxes on ", device, ", got ", tensor.device());
  }
}

}  // namespace

at::Tensor maskTargets(const structures::GtMasks& masks, const MaskRegions& regions,
                       std::int64_t side) {
  LOCKSTEP_RECORD_FUNCTION("mask_targets", masks.pixels, regions.boxesXyxy, side);
  const at::Tensor& boxes = regions.boxesXyxy;
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4 && boxes.scalar_type() == at::kFloat,
              "boxes must be [P,4] float32, got ", boxes.sizes());
  for (const at::Tensor& index : {regions.images, regions.objects}) {
    TORCH_CHECK(
        index.dim() == 1 && index.size(0) == boxes.size(0) && index.scalar_type() == at::kLong,
        "images and objects must be [", boxes.size(0), "] int64, got ", index.sizes());
  }
  checkMasks(masks, boxes.device());
  return kMaskTargetsStub(boxes.device(), masks, regions, side);
}

}  // namespace lockstep::ops
