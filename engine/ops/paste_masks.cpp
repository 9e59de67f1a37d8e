#include "engine/ops/paste_masks.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "engine/ops/dispatch.h"

namespace lockstep::ops {
namespace {

constexpr DispatchStub<PasteMasksKernel> kPasteMasksStub{cpu::pasteMasks,
                                                         LOCKSTEP_CUDA_KERNEL(cuda::pasteMasks)};

}  // namespace

std::vector<MaskRuns> pasteMasks(const at::Tensor& probs, const at::Tensor& boxesXyxy,
                                 const base::ImageSize& size) {
  TORCH_CHECK(probs.dim() == 3 && probs.size(1) == probs.size(2), "probs must be [D,M,M], got ",
              probs.sizes());
  TORCH_CHECK(boxesXyxy.dim() == 2 && boxesXyxy.size(1) == 4 && boxesXyxy.size(0) == probs.size(0),
              "boxes must be [", probs.size(0), ",4], got ", boxesXyxy.sizes());
  TORCH_CHECK(size.height * size.width <= std::numeric_limits<std::int32_t>::max(), "an image of ",
              size.height, " x ", size.width, " px is too large for masks");
  const at::Tensor masks = probs.to(at::kFloat).contiguous();
  const at::Tensor boxes = boxesXyxy.to(at::kFloat).contiguous();
  return kPasteMasksStub(masks.device(), masks, boxes, size);
}

at::Tensor fullMasks(const std::vector<MaskRuns>& masks, const base::ImageSize& size) {
  const auto count = static_cast<std::int64_t>(masks.size());
  at::Tensor columns = at::zeros({count, size.width, size.height}, at::kByte);
  auto* out = columns.data_ptr<std::uint8_t>();
  for (const MaskRuns& runs : masks) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i % 2 == 1) std::fill_n(out, runs[i], std::uint8_t{1});
      out += runs[i];
    }
  }
  return columns.transpose(1, 2).contiguous();
}

}  // namespace lockstep::ops
