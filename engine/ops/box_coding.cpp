#include "engine/ops/box_coding.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

#include "engine/ops/box_coding_jobs.h"
#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

at::Tensor floats(const at::Tensor& values) { return values.detach().to(at::kFloat).contiguous(); }

/// Rows may be strided; each row is contiguous.
at::Tensor rows(const at::Tensor& values) {
  TORCH_CHECK(values.dim() == 2, "chosen must be [N,K], got ", values.sizes());
  return values.stride(1) == 1 ? values : values.contiguous();
}

CodingSizes codingSizes(const at::Tensor& boxes, const at::Tensor& chosen) {
  const bool isShared = boxes.dim() == 2;
  TORCH_CHECK(
      boxes.size(-1) == 4 && (isShared || (boxes.dim() == 3 && boxes.size(0) == chosen.size(0))),
      "boxes must be [B,4] or [", chosen.size(0), ",B,4], got ", boxes.sizes());
  return {chosen.size(0), chosen.size(1), boxes.size(-2), isShared ? 0 : boxes.size(-2)};
}

const structures::Box* boxesOf(const at::Tensor& boxes) {
  return reinterpret_cast<const structures::Box*>(boxes.const_data_ptr<float>());
}

BoxCode codeOf(const BoxWeights& weights) {
  return {static_cast<float>(weights[0]), static_cast<float>(weights[1]),
          static_cast<float>(weights[2]), static_cast<float>(weights[3])};
}

template <typename Job>
void runOnCpu(const Job& job, const at::Device&) {
  for (std::int64_t i = 0; i < job.sizes.count(); ++i) job.run(i);
}

template <typename Job>
void runAll(const Job& job, const at::Device& device) {
  constexpr DispatchStub<void(const Job&, const at::Device&)> stub{
      runOnCpu<Job>, LOCKSTEP_CUDA_KERNEL(cuda::runJob<Job>)};
  stub(device, job, device);
}

}  // namespace

DecodedBoxes decodeBoxes(const ChosenDeltas& from, const BoxWeights& weights,
                         const at::Tensor& limits, double minSide) {
  LOCKSTEP_RECORD_FUNCTION("decode_boxes", from.deltas, from.boxes, from.chosen);
  const at::Tensor deltas = from.deltas.detach().contiguous(), boxes = floats(from.boxes);
  const at::Tensor chosen = rows(from.chosen), sides = floats(limits);
  const CodingSizes sizes = codingSizes(boxes, chosen);
  TORCH_CHECK(deltas.dim() == 3 && deltas.size(0) == sizes.images &&
                  deltas.size(1) == sizes.boxes * from.perBox && deltas.size(2) == 4,
              "deltas must be [", sizes.images, ",", sizes.boxes * from.perBox, ",4], got ",
              deltas.sizes());
  TORCH_CHECK(sides.numel() == 4 * sizes.images, "limits must be those of ", sizes.images,
              " images, got ", sides.sizes());
  DecodedBoxes decoded{at::empty({sizes.images, sizes.chosen, 4}, boxes.options()),
                       at::empty({sizes.images, sizes.chosen}, boxes.options().dtype(at::kBool))};
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, deltas.scalar_type(), "decode_boxes", [&] {
        runAll(DecodeJob<scalar_t>{sizes,
                                   deltas.const_data_ptr<scalar_t>(),
                                   from.perBox,
                                   boxesOf(boxes),
                                   {chosen.const_data_ptr<std::int64_t>(), chosen.stride(0)},
                                   sides.const_data_ptr<float>(),
                                   codeOf(weights),
                                   static_cast<float>(minSide),
                                   reinterpret_cast<structures::Box*>(
                                       decoded.boxesXyxy.data_ptr<float>()),
                                   decoded.isLarge.data_ptr<bool>()},
               boxes.device());
      });
  return decoded;
}

at::Tensor encodeBoxes(const ChosenMatches& from, const BoxWeights& weights) {
  LOCKSTEP_RECORD_FUNCTION("encode_boxes", from.boxes, from.matches, from.chosen);
  const at::Tensor boxes = floats(from.boxes), gtBoxes = floats(from.gtBoxes);
  const at::Tensor chosen = rows(from.chosen), isPositive = rows(from.isPositive);
  const at::Tensor matches = from.matches.contiguous();
  const CodingSizes sizes = codingSizes(boxes, chosen);
  TORCH_CHECK(gtBoxes.dim() == 3 && gtBoxes.size(0) == sizes.images && gtBoxes.size(2) == 4,
              "objects must be [", sizes.images, ",G,4], got ", gtBoxes.sizes());
  TORCH_CHECK(matches.sizes() == at::IntArrayRef({sizes.images, sizes.boxes}) &&
                  isPositive.sizes() == chosen.sizes(),
              "matches must be [", sizes.images, ",", sizes.boxes, "] and isPositive ",
              chosen.sizes(), ", got ", matches.sizes(), " and ", isPositive.sizes());
  at::Tensor targets = at::empty({sizes.images, sizes.chosen, 4}, boxes.options());
  runAll(EncodeJob{sizes,
                   boxesOf(boxes),
                   matches.const_data_ptr<std::int64_t>(),
                   boxesOf(gtBoxes),
                   gtBoxes.size(1),
                   {chosen.const_data_ptr<std::int64_t>(), chosen.stride(0)},
                   {isPositive.const_data_ptr<bool>(), isPositive.stride(0)},
                   codeOf(weights),
                   reinterpret_cast<BoxCode*>(targets.data_ptr<float>())},
         boxes.device());
  return targets;
}

}  // namespace lockstep::ops
