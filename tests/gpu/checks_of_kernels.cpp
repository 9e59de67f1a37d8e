#include <torch/torch.h>

#include "engine/ops/boxes.h"
#include "engine/ops/mask_targets.h"
#include "engine/ops/matching.h"
#include "engine/ops/nms.h"
#include "engine/ops/roi_align.h"
#include "engine/ops/sampling.h"
#include "tests/gpu/check.h"
#include "tests/gpu/scene.h"

namespace lockstep::gpu {
namespace {

constexpr ops::ImageSize kSize{400, 640};

Finding equal(const std::string& what, const at::Tensor& value, const at::Tensor& reference) {
  const at::Tensor here = value.cpu();
  const bool same = here.sizes() == reference.sizes() && at::equal(here, reference);
  return {same, what + (same ? " equal" : " DIFFERS")};
}

Finding nmsChoosesTheSame(const at::Device& device) {
  torch::manual_seed(1);
  Finding finding{true, ""};
  for (const std::int64_t count : {1, 63, 64, 65, 700, 4000}) {
    // Few scores, so that there are ties; the second image has nothing.
    ops::NmsCandidates all{at::stack({randomBoxes(count, kSize), randomBoxes(count, kSize)}),
                           at::randint(0, 200, {2, count}).to(at::kFloat) / 200,
                           at::randint(0, 5, {2, count}, at::kLong), at::rand({2, count}) < 0.9};
    all.valid[1].fill_(false);
    const ops::Selection expected = ops::selectByNms(all, 0.5, 300);
    const ops::Selection got = ops::selectByNms({all.boxesXyxy.to(device), all.scores.to(device),
                                                 all.groups.to(device), all.valid.to(device)},
                                                0.5, 300);
    const std::string what = std::to_string(count);
    finding = both(finding, equal(what + " valid", got.valid, expected.valid));
    finding = both(finding, equal(what, got.indices.cpu().masked_fill(~expected.valid, 0),
                                  expected.indices.masked_fill(~expected.valid, 0)));
  }
  return {finding.pass, finding.pass ? "1 to 4000 boxes, ties, an empty image" : finding.figures};
}

Finding matchingIsTheSame(const at::Device& device) {
  const Scene scene = makeScene({9, 0, 40}, {416, 640}, 2);
  torch::manual_seed(2);
  const at::Tensor boxes = randomBoxes(20000, kSize);
  Finding finding{true, ""};
  for (const bool lowQuality : {false, true}) {
    const ops::MatchThresholds thresholds{0.7, 0.3, lowQuality};
    const at::Tensor expected = ops::matchBoxes(scene.gts, boxes, thresholds);
    const at::Tensor got = ops::matchBoxes(scene.gts.to(device), boxes.to(device), thresholds);
    finding = both(finding, equal(lowQuality ? "low quality" : "plain", got, expected));
  }
  return finding;
}

Finding samplingChoosesTheSame(const at::Device& device) {
  torch::manual_seed(3);
  const at::Tensor labels = at::randint(-1, 3, {4, 50000}, at::kLong);
  const ops::SamplingKeys keys{{1, 2, 3, 4}, {5, 6, 7, 8}};
  const ops::BalancedSelection expected = ops::sampleBalanced(labels, {256, 0.5}, keys);
  const ops::BalancedSelection got = ops::sampleBalanced(labels.to(device), {256, 0.5}, keys);
  return both(equal("indices", got.indices, expected.indices),
              equal("positives", got.isPositive, expected.isPositive));
}

Finding boxCodingIsTheSame(const at::Device& device) {
  torch::manual_seed(4);
  const at::Tensor anchors = randomBoxes(5000, kSize), targets = randomBoxes(5000, kSize);
  const ops::BoxWeights weights{10, 10, 5, 5};
  const at::Tensor codes = ops::encodeBoxes(targets, anchors, weights);
  const at::Tensor there = ops::encodeBoxes(targets.to(device), anchors.to(device), weights);
  return both(within("encode", relativeDifference(there, codes), 1e-5),
              within("decode",
                     relativeDifference(ops::decodeBoxes(there, anchors.to(device), weights),
                                        ops::decodeBoxes(codes, anchors, weights)),
                     1e-5));
}

Finding maskTargetsAreTheSame(const at::Device& device) {
  const Scene scene = makeScene({12, 0, 30}, {416, 640}, 5);
  torch::manual_seed(5);
  const at::Tensor boxes = randomBoxes(300, kSize);
  at::Tensor images = at::randint(0, 2, {300}, at::kLong) * 2;
  images.slice(0, 0, 10).fill_(-1);
  const at::Tensor objects = at::randint(0, 12, {300}, at::kLong);
  const at::Tensor expected = ops::maskTargets(scene.gts.masks, {boxes, images, objects}, 28);
  const at::Tensor got = ops::maskTargets(
      scene.gts.to(device).masks, {boxes.to(device), images.to(device), objects.to(device)}, 28);
  return equal("300 regions", got, expected);
}

/// Features of four levels, regions on all of them, and the gradient that comes back.
struct RoiCase {
  std::vector<at::Tensor> features;
  at::Tensor rois, levels, gradient;
};

RoiCase roiCase(std::int64_t count, std::int64_t channels) {
  torch::manual_seed(6);
  RoiCase made;
  for (int level = 0; level < 4; ++level)
    made.features.push_back(
        at::randn({2, channels, kSize.height >> (2 + level), kSize.width >> (2 + level)})
            .contiguous(at::MemoryFormat::ChannelsLast));
  const at::Tensor images = at::randint(0, 2, {count, 1}).to(at::kFloat);
  made.rois = at::cat({images, randomBoxes(count, kSize)}, 1);
  made.levels = at::randint(-1, 4, {count}, at::kLong);
  made.gradient = at::randn({count, channels, 7, 7});
  return made;
}

struct Pooled {
  at::Tensor output;
  std::vector<at::Tensor> gradients;
};

Pooled pool(const RoiCase& one, const at::Device& device, at::ScalarType type) {
  std::vector<at::Tensor> features;
  for (const at::Tensor& level : one.features)
    features.push_back(level.to(device, type).detach().requires_grad_());
  const at::Tensor output =
      ops::roiAlignPyramid(features, {1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 32}, one.rois.to(device),
                           one.levels.to(device), {7, 7, 2});
  output.backward(one.gradient.to(device, type));
  Pooled pooled{output.detach(), {}};
  for (const at::Tensor& level : features) pooled.gradients.push_back(level.grad());
  return pooled;
}

Finding roiAlignIsTheSame(const at::Device& device, at::ScalarType type, double limit) {
  const RoiCase one = roiCase(500, 96);
  const Pooled expected = pool(one, at::kCPU, type == at::kDouble ? at::kDouble : at::kFloat),
               got = pool(one, device, type);
  Finding finding = within("forward", relativeDifference(got.output, expected.output), limit);
  double largest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    largest = std::max(largest, relativeDifference(got.gradients[i], expected.gradients[i]));
  }
  return both(finding, within("backward", largest, limit));
}

Finding roiAlignRepeats(const at::Device& device) {
  const RoiCase one = roiCase(1000, 64);
  const Pooled first = pool(one, device, at::kFloat);
  for (int run = 1; run < 20; ++run) {
    const Pooled again = pool(one, device, at::kFloat);
    for (std::size_t i = 0; i < 4; ++i) {
      if (!at::equal(again.gradients[i], first.gradients[i]))
        return {false, "gradients of run " + std::to_string(run) + " have other bits"};
    }
  }
  return {true, "the same bits in 20 runs"};
}

}  // namespace

std::vector<Check> kernelChecks() {
  return {{"NMS", nmsChoosesTheSame},
          {"matching", matchingIsTheSame},
          {"sampling", samplingChoosesTheSame},
          {"box coding", boxCodingIsTheSame},
          {"mask targets", maskTargetsAreTheSame},
          {"RoIAlign float64",
           [](const at::Device& device) { return roiAlignIsTheSame(device, at::kDouble, 1e-6); }},
          {"RoIAlign float32",
           [](const at::Device& device) { return roiAlignIsTheSame(device, at::kFloat, 1e-5); }},
          {"RoIAlign bfloat16",
           [](const at::Device& device) { return roiAlignIsTheSame(device, at::kBFloat16, 1e-2); }},
          {"RoIAlign repeats", roiAlignRepeats}};
}

}  // namespace lockstep::gpu
