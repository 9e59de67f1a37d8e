#include "tests/gpu/scene.h"

#include <torch/types.h>

#include "engine/structures/ground_truth.h"
#include "tests/support/masks.h"

namespace lockstep::gpu {
namespace {

/// Objects with their masks [G,H,W].
struct Objects {
  structures::GtInstances gt;
  at::Tensor masks;
};

Objects makeObjects(int count, const base::ImageSize& size) {
  if (count == 0) return {};
  const at::Tensor boxes = randomBoxes(count, size).round();
  at::Tensor masks = at::zeros({count, size.height, size.width}, at::kByte);
  for (int g = 0; g < count; ++g) {
    const auto side = [&](int i) { return boxes[g][i].item<std::int64_t>(); };
    const std::int64_t width = side(2) - side(0), height = side(3) - side(1);
    const at::Tensor y = at::linspace(-1, 1, height).unsqueeze(1), x = at::linspace(-1, 1, width);
    masks[g].slice(0, side(1), side(3)).slice(1, side(0), side(2)) = (x * x + y * y <= 1);
  }
  return {{boxes, at::randint(1, 5, {count}, at::kLong), tests::cropped(masks)}, masks};
}

}  // namespace

at::Tensor randomBoxes(std::int64_t count, const base::ImageSize& size) {
  const at::Tensor limit = torch::tensor({double(size.width), double(size.height)}, at::kFloat);
  const at::Tensor upper = at::rand({count, 2}) * (limit * 0.6);
  const at::Tensor sides = (at::rand({count, 2}).square() * (limit - upper - 4)) + 4;
  return at::cat({upper, at::minimum(upper + sides, limit)}, 1);
}

data::Batch makeScene(const std::vector<int>& objectCounts, const base::ImageSize& padded,
                      std::uint64_t seed) {
  torch::manual_seed(seed);
  data::Batch scene;
  std::vector<structures::GtInstances> gts;
  const auto count = static_cast<std::int64_t>(objectCounts.size());
  scene.images = at::zeros({count, 3, padded.height, padded.width});
  for (std::int64_t n = 0; n < count; ++n) {
    const base::ImageSize size{padded.height - 7 * n % 32, padded.width - 11 * n % 32};
    scene.sizes.push_back(size);
    const Objects objects = makeObjects(objectCounts[static_cast<std::size_t>(n)], size);
    gts.push_back(objects.gt);
    scene.samplingKeys.push_back(seed * 1000 + static_cast<std::uint64_t>(n));
    at::Tensor image = scene.images[n].slice(1, 0, size.height).slice(2, 0, size.width);
    image.copy_(at::randn({3, size.height, size.width}));
    for (std::int64_t g = 0; g < objects.gt.count(); ++g) {
      const at::Tensor colour =
          torch::tensor({2.0, -1.0, 1.0}, at::kFloat) * objects.gt.classes[g].item<double>() * 0.5;
      image.add_(objects.masks[g].to(at::kFloat).unsqueeze(0) * colour.view({3, 1, 1}));
    }
  }
  scene.gts = structures::batchGroundTruth(gts);
  return scene;
}

tests::TrainingSetup smallTraining(at::ScalarType type) {
  config::ModelConfig config;
  config.backbone = "resnet18";
  config.norm = config::Norm::FrozenBatch;
  config.freezeStages = 0;
  config.fpnChannels = 64;
  config.rpn.preNmsTopNTrain = config.rpn.preNmsTopNTest = 500;
  config.rpn.postNmsTopNTrain = config.rpn.postNmsTopNTest = 300;
  config.boxHead.fcDim = 256;
  config.boxHead.batchSizePerImage = 128;
  config.boxHead.scoreThreshold = 0.15;
  config.maskHead.convs = 2;
  config.maskHead.channels = 64;
  tests::TrainingSetup setup{.model = config, .classes = 6, .type = type};
  setup.solver.clipGradNorm = 10;
  setup.rowShapes = model::RowShapes::Fixed;
  return setup;
}

}  // namespace lockstep::gpu
