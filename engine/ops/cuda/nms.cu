#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdint>
#include <limits>

#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/cuda/nms.cuh"
#include "engine/ops/nms.h"

namespace lockstep::ops {

Selection cuda::selectByNms(const NmsCandidates& candidates, float threshold, std::int64_t slots) {
  const at::Tensor& scores = candidates.scores;
  const c10::cuda::CUDAGuard guard(scores.device());
  const std::int64_t images = scores.size(0), size = scores.size(1);
  if (images == 0 || slots == 0) {
    return {at::zeros({images, slots}, scores.options().dtype(at::kLong)),
            at::zeros({images, slots}, scores.options().dtype(at::kBool))};
  }
  const at::Tensor ranked =
      scores.detach()
          .to(at::kFloat)
          .masked_fill(candidates.valid.logical_not(), -std::numeric_limits<float>::infinity());
  const at::Tensor order =
      std::get<1>(ranked.sort(/*stable=*/true, 1, /*descending=*/true)).contiguous();
  const at::Tensor boxes = candidates.boxesXyxy.detach().to(at::kFloat).contiguous();
  const at::Tensor groups = candidates.groups.contiguous();
  const at::Tensor counts = candidates.valid.sum(1);
  const NmsBoxes all{reinterpret_cast<const float4*>(boxes.const_data_ptr<float>()),
                     groups.const_data_ptr<std::int64_t>(),
                     order.const_data_ptr<std::int64_t>(),
                     counts.const_data_ptr<std::int64_t>(),
                     static_cast<int>(size),
                     static_cast<int>(candidates.groupCount),
                     static_cast<int>(candidates.groupSize())};
  TORCH_CHECK(all.words() <= kMostNmsWords, all.groupSize,
              " boxes of a group are too many for NMS");
  const auto intOptions = order.options().dtype(at::kInt);
  at::Tensor members = at::empty({images, size}, intOptions),
             problems = at::empty({2, images * all.groupCount}, intOptions),
             mask = at::empty({images, size, all.words()}, order.options()),
             isKept = at::zeros({images, size}, candidates.valid.options());
  const NmsWork work{
      members.data_ptr<int>(), problems[0].data_ptr<int>(), problems[1].data_ptr<int>(),
      reinterpret_cast<NmsWord*>(mask.data_ptr<std::int64_t>()), isKept.data_ptr<bool>()};
  Selection kept{at::empty({images, slots}, order.options()),
                 at::empty({images, slots}, candidates.valid.options())};
  const NmsKept out{static_cast<int>(slots), kept.indices.data_ptr<std::int64_t>(),
                    kept.valid.data_ptr<bool>()};
  launch(groupKernel, groupLaunch(all, images), all, work);
  launch(overlapKernel, overlapLaunch(all, images), all, work, threshold);
  launch(keepKernel, keepLaunch(all, images), all, work, out.slots);
  launch(gatherKernel, gatherLaunch(images), all, work, out);
  return kept;
}

}  // namespace lockstep::ops
