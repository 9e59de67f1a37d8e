#include <torch/torch.h>

#include "engine/ops/box_coding.h"
#include "engine/ops/mask_targets.h"
#include "engine/ops/matching.h"
#include "engine/ops/nms.h"
#include "engine/ops/paste_masks.h"
#include "engine/ops/roi_align.h"
#include "engine/ops/sampling.h"
#include "engine/ops/segment_best.h"
#include "engine/ops/tensor_sums.h"
#include "engine/structures/boxes.h"
#include "tests/gpu/check.h"
#include "tests/gpu/scene.h"

namespace lockstep::gpu {
namespace {

constexpr base::ImageSize kSize{400, 640};

Finding equal(const std::string& what, const at::Tensor& value, const at::Tensor& reference) {
  const at::Tensor here = value.cpu();
  const bool same = here.sizes() == reference.sizes() && at::equal(here, reference);
  return {same, what + (same ? " equal" : " DIFFERS")};
}

Finding nmsChoosesTheSame(const at::Device& device) {
  torch::manual_seed(1);
  Finding finding{true, ""};
  for (const std::int64_t count : {1, 63, 64, 65, 700, 4000}) {
    // Few different scores, so that there are ties; the second image has no candidates.
    ops::NmsCandidates all{at::stack({randomBoxes(count, kSize), randomBoxes(count, kSize)}),
                           at::randint(0, 200, {2, count}).to(at::kFloat) / 200,
                           at::randint(0, 5, {2, count}, at::kLong),
                           at::rand({2, count}) < 0.9,
                           5,
                           count};
    all.valid[1].fill_(false);
    const ops::Selection expected = ops::selectByNms(all, 0.5, 300);
    const ops::Selection got =
        ops::selectByNms({all.boxesXyxy.to(device), all.scores.to(device), all.groups.to(device),
                          all.valid.to(device), 5, count},
                         0.5, 300);
    const std::string what = std::to_string(count);
    finding = both(finding, equal(what + " valid", got.valid, expected.valid));
    finding = both(finding, equal(what, got.indices.cpu().masked_fill(~expected.valid, 0),
                                  expected.indices.masked_fill(~expected.valid, 0)));
  }
  return {finding.pass, finding.pass ? "1 to 4000 boxes, ties, an empty image" : finding.figures};
}

Finding matchingIsTheSame(const at::Device& device) {
  const data::Batch scene = makeScene({9, 0, 40}, {416, 640}, 2);
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

Finding overlapsAreTheSame(const at::Device& device) {
  const data::Batch scene = makeScene({9, 0, 40}, {416, 640}, 2);
  torch::manual_seed(3);
  const at::Tensor boxes = randomBoxes(3 * 500, kSize).view({3, 500, 4});
  const at::Tensor expected = ops::bestOverlaps(scene.gts, boxes);
  return equal("IoU", ops::bestOverlaps(scene.gts.to(device), boxes.to(device)), expected);
}

Finding sumsAreTheSame(const at::Device& device) {
  torch::manual_seed(4);
  std::vector<at::Tensor> tensors, others, onDevice, othersOnDevice;
  for (const std::int64_t size : {1, 0, 300, 16384, 16385, 1000003}) {
    tensors.push_back(at::randn({size}) + 0.5);
    others.push_back(tensors.back() + 1e-3);
    onDevice.push_back(tensors.back().to(device));
    othersOnDevice.push_back(others.back().to(device));
  }
  return within("sums",
                relativeDifference(ops::tensorSums(onDevice, othersOnDevice),
                                   ops::tensorSums(tensors, others)),
                1e-12);
}

Finding samplingChoosesTheSame(const at::Device& device) {
  torch::manual_seed(3);
  const ops::SamplingKeys keys{{1, 2, 3, 4}, {5, 6, 7, 8}};
  Finding finding{true, ""};
  struct Case {
    std::int64_t candidates, total;
    bool hasNumbers;
  };
  // In one block, in several, all candidates, and more than the kernels support.
  for (const Case& one : {Case{2500, 512, true}, Case{270000, 256, false}, Case{300, 1000, false},
                          Case{50000, 2048, true}, Case{50000, 5000, false}}) {
    at::Tensor labels = at::randint(-1, 3, {4, one.candidates}, at::kLong);
    labels[1].fill_(-1);
    labels[2].clamp_max_(0);
    const at::Tensor numbers =
        one.hasNumbers ? at::randint(1 << 16, labels.sizes(), at::kLong) : at::Tensor();
    const ops::SampleCounts counts{one.total, 0.5};
    const ops::BalancedSelection expected = ops::sampleBalanced(labels, counts, keys, numbers);
    const ops::BalancedSelection got = ops::sampleBalanced(
        labels.to(device), counts, keys, one.hasNumbers ? numbers.to(device) : at::Tensor());
    const at::Tensor isEmpty = ~expected.valid;
    finding = both(finding, equal("valid", got.valid, expected.valid));
    finding = both(finding, equal("indices", got.indices.cpu().masked_fill(isEmpty, 0),
                                  expected.indices.masked_fill(isEmpty, 0)));
    finding = both(finding, equal("positives", got.isPositive.cpu().masked_fill(isEmpty, false),
                                  expected.isPositive.masked_fill(isEmpty, false)));
  }
  return {finding.pass, finding.pass ? "256 to 5000 of 300 to 270000" : finding.figures};
}

Finding bestScoresAreTheSame(const at::Device& device) {
  torch::manual_seed(8);
  const std::vector<std::int64_t> sizes{200000, 50000, 12500, 3000, 800};
  const at::Tensor scores = at::randn({2, 266300}) - 5;
  Finding finding{true, ""};
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {  // the latter has many ties
    for (const std::int64_t most : {1000, 2000, 3000}) {
      const ops::SegmentedTopK expected = ops::segmentedTopK(scores.to(type), sizes, most),
                               got = ops::segmentedTopK(scores.to(device, type), sizes, most);
      finding = both(finding, both(equal("indices", got.indices, expected.indices),
                                   equal("segments", got.segments, expected.segments)));
    }
  }
  return {finding.pass, finding.pass ? "1000, 2000, 3000 of five levels, ties" : finding.figures};
}

Finding boxCodingIsTheSame(const at::Device& device) {
  torch::manual_seed(4);
  const ops::BoxWeights weights{10, 10, 5, 5};
  const at::Tensor boxes = at::stack({randomBoxes(5000, kSize), randomBoxes(5000, kSize)});
  const at::Tensor objects = at::stack({randomBoxes(30, kSize), randomBoxes(30, kSize)});
  const at::Tensor matches = at::randint(-2, 30, {2, 5000}, at::kLong),
                   chosen = at::randint(5000, {2, 600}, at::kLong).slice(1, 0, 512);
  const at::Tensor isPositive = matches.gather(1, chosen) >= 0;
  const at::Tensor codes = ops::encodeBoxes({boxes, matches, objects, chosen, isPositive}, weights);
  const at::Tensor there =
      ops::encodeBoxes({boxes.to(device), matches.to(device), objects.to(device), chosen.to(device),
                        isPositive.to(device)},
                       weights);
  Finding finding = within("encode", relativeDifference(there, codes), 1e-6);
  const std::vector<base::ImageSize> sizes{kSize, {kSize.height - 60, kSize.width - 90}};
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kDouble}) {
    const at::Tensor deltas = at::randn({2, 15000, 4}).to(type);
    const at::Tensor some = at::randint(15000, {2, 2000}, at::kLong);
    const auto expected = ops::decodeBoxes({deltas, boxes, 3, some}, weights,
                                           structures::boxLimits(sizes, at::kCPU), 0.01);
    const auto got = ops::decodeBoxes({deltas.to(device), boxes.to(device), 3, some.to(device)},
                                      weights, structures::boxLimits(sizes, device), 0.01);
    finding = both(finding, within(at::toString(type),
                                   relativeDifference(got.boxesXyxy, expected.boxesXyxy), 1e-6));
    finding = both(finding, equal("large", got.isLarge, expected.isLarge));
  }
  return finding;
}

Finding pastedMasksAreTheSame(const at::Device& device) {
  torch::manual_seed(7);
  Finding finding{true, ""};
  for (const std::int64_t count : {0, 1, 100}) {
    // Some reach beyond the image; few probabilities, so that many are just a half.
    const at::Tensor boxes = randomBoxes(count, kSize) * 1.3 - 40;
    const at::Tensor probs = at::randint(0, 5, {count, 28, 28}).to(at::kFloat) / 4;
    const bool same = ops::pasteMasks(probs.to(device), boxes.to(device), kSize) ==
                      ops::pasteMasks(probs, boxes, kSize);
    finding = both(finding, {same, std::to_string(count) + (same ? " equal" : " DIFFER")});
  }
  return finding;
}

Finding maskTargetsAreTheSame(const at::Device& device) {
  const data::Batch scene = makeScene({12, 0, 30}, {416, 640}, 5);
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

/// Features of four levels, RoIs on all of them for a box and a mask head, and output gradients.
struct RoiCase {
  std::vector<at::Tensor> features;
  std::vector<ops::RoiSet> sets;
  std::vector<at::Tensor> gradients;
};

RoiCase roiCase(std::int64_t count, std::int64_t channels) {
  torch::manual_seed(6);
  RoiCase made;
  for (int level = 0; level < 4; ++level)
    made.features.push_back(
        at::randn({2, channels, kSize.height >> (2 + level), kSize.width >> (2 + level)})
            .contiguous(at::MemoryFormat::ChannelsLast));
  for (const auto& [rows, side] : {std::pair{count, std::int64_t{7}}, {count / 4, 14}}) {
    const at::Tensor images = at::randint(0, 2, {rows, 1}).to(at::kFloat);
    made.sets.push_back({at::cat({images, randomBoxes(rows, kSize)}, 1),
                         at::randint(-1, 4, {rows}, at::kLong),
                         {side, side, 2}});
    made.gradients.push_back(at::randn({rows, channels, side, side}));
  }
  return made;
}

struct Pooled {
  std::vector<at::Tensor> outputs, gradients;
};

Pooled pool(const RoiCase& one, const at::Device& device, at::ScalarType type) {
  std::vector<at::Tensor> features;
  for (const at::Tensor& level : one.features)
    features.push_back(level.to(device, type).detach().requires_grad_());
  std::vector<ops::RoiSet> sets;
  std::vector<at::Tensor> gradients;
  for (std::size_t i = 0; i < one.sets.size(); ++i) {
    const ops::RoiSet& set = one.sets[i];
    sets.push_back({set.rois.to(device), set.levels.to(device), set.shape});
    gradients.push_back(one.gradients[i].to(device, type));
  }
  const std::vector<at::Tensor> outputs =
      ops::roiAlignSets(features, {1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 32}, sets);
  return {outputs, torch::autograd::grad(outputs, features, gradients)};
}

Finding roiAlignIsTheSame(const at::Device& device, at::ScalarType type, double limit) {
  const RoiCase one = roiCase(500, 96);
  const Pooled expected = pool(one, at::kCPU, type == at::kDouble ? at::kDouble : at::kFloat),
               got = pool(one, device, type);
  Finding finding{true, ""};
  for (std::size_t i = 0; i < 2; ++i) {
    finding = both(finding, within(i == 0 ? "forward of boxes" : "of masks",
                                   relativeDifference(got.outputs[i], expected.outputs[i]), limit));
  }
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
          {"best overlaps", overlapsAreTheSame},
          {"sums of tensors", sumsAreTheSame},
          {"sampling", samplingChoosesTheSame},
          {"best scores of levels", bestScoresAreTheSame},
          {"box coding", boxCodingIsTheSame},
          {"mask targets", maskTargetsAreTheSame},
          {"pasted masks", pastedMasksAreTheSame},
          {"RoIAlign float64",
           [](const at::Device& device) { return roiAlignIsTheSame(device, at::kDouble, 1e-6); }},
          {"RoIAlign float32",
           [](const at::Device& device) { return roiAlignIsTheSame(device, at::kFloat, 1e-5); }},
          {"RoIAlign bfloat16",
           [](const at::Device& device) { return roiAlignIsTheSame(device, at::kBFloat16, 1e-2); }},
          {"RoIAlign repeats", roiAlignRepeats}};
}

}  // namespace lockstep::gpu
