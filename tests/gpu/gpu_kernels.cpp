// Prints of every kernel of a training step (and of detection) the bytes it must move at least,
// each input read once and each output written once, and on a GPU the time that takes at the
// bandwidth of a copy and the time the kernel takes. R50-FPN, 800 x 1344 px, bfloat16. usage:
// gpu_kernels [BATCH]   batch of the images; default 8. Without a GPU: bytes alone.
//        gpu_kernels try       runs each once on the CPU, on small images
#include <torch/csrc/autograd/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>
#ifdef LOCKSTEP_CUDA
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/ops/box_coding.h"
#include "engine/ops/epilogue.h"
#include "engine/ops/group_norm.h"
#include "engine/ops/mask_targets.h"
#include "engine/ops/matching.h"
#include "engine/ops/max_pool.h"
#include "engine/ops/nms.h"
#include "engine/ops/paste_masks.h"
#include "engine/ops/roi_align.h"
#include "engine/ops/sampling.h"
#include "engine/ops/segment_best.h"
#include "engine/structures/boxes.h"
#include "engine/structures/ground_truth.h"
#include "tests/gpu/scene.h"

namespace lockstep::gpu {
namespace {

constexpr std::int64_t kChannels = 256, kClasses = 91, kObjects = 10, kMaskSide = 28;
constexpr std::int64_t kFeatureBytes = 2;
constexpr std::int64_t kPreNms = 2000, kPostNms = 2000, kRois = 512, kPositives = 128;
constexpr std::int64_t kDetections = 100, kAnchorsOfPlace = 3;
const std::vector<double> kScales{1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 32};

struct Sizes {
  std::int64_t images;
  base::ImageSize image;

  base::ImageSize level(int stride) const {
    return {(image.height + stride - 1) / stride, (image.width + stride - 1) / stride};
  }
  std::vector<std::int64_t> anchorsOfLevels() const {
    std::vector<std::int64_t> counts;
    for (const int stride : {4, 8, 16, 32, 64}) {
      const base::ImageSize size = level(stride);
      counts.push_back(size.height * size.width * kAnchorsOfPlace);
    }
    return counts;
  }
  std::int64_t anchors() const {
    std::int64_t sum = 0;
    for (const std::int64_t count : anchorsOfLevels()) sum += count;
    return sum;
  }
  std::int64_t candidates() const {
    std::int64_t sum = 0;
    for (const std::int64_t count : anchorsOfLevels()) sum += std::min(count, kPreNms);
    return sum;
  }
};

/// One row of the table.
struct Kernel {
  std::string name;
  std::int64_t bytes;
  std::function<void()> run;
};

std::int64_t bytesOf(std::initializer_list<at::Tensor> tensors) {
  std::int64_t sum = 0;
  for (const at::Tensor& each : tensors) sum += static_cast<std::int64_t>(each.nbytes());
  return sum;
}

/// Makes inputs on a device.
class Kernels {
 public:
  Kernels(const Sizes& sizes, const at::Device& device) : sizes_(sizes), device_(device) {
    torch::manual_seed(1);
  }

  std::vector<Kernel> all() const {
    std::vector<Kernel> rows;
    addRoiAlign(rows, "boxes", kRois, 7);
    addRoiAlign(rows, "masks", kPositives, 14);
    rows.push_back(bestAnchors());
    rows.push_back(suppression());
    rows.push_back(matching());
    rows.push_back(sampling("sampling, anchors", sizes_.anchors(), 256));
    rows.push_back(sampling("sampling, regions", kPostNms + kObjects, kRois));
    rows.push_back(decoding("decoding, proposals", sizes_.anchors(), 1, sizes_.candidates()));
    rows.push_back(decoding("decoding, detections", 1000, kClasses, 1000));
    rows.push_back(encoding("encoding, anchors", sizes_.anchors(), 128));
    rows.push_back(encoding("encoding, regions", kPostNms + kObjects, kRois));
    rows.push_back(maskTargets());
    rows.push_back(pasting());
    addMaps(rows);
    return rows;
  }

 private:
  at::Tensor boxes(std::int64_t count) const { return randomBoxes(count, sizes_.image); }
  at::Tensor boxesOfImages(std::int64_t count) const {
    return boxes(sizes_.images * count).view({sizes_.images, count, 4}).to(device_);
  }
  at::Tensor integers(std::int64_t low, std::int64_t high, std::int64_t count) const {
    return at::randint(low, high, {sizes_.images, count}, at::kLong).to(device_);
  }

  /// bfloat16 on a GPU. On the CPU, which is not timed, float32 and zeros.
  at::Tensor features(at::IntArrayRef shape) const {
    return device_.is_cpu() ? at::zeros(shape)
                            : at::randn(shape, at::TensorOptions(at::kBFloat16).device(device_));
  }

  void addRoiAlign(std::vector<Kernel>& rows, const std::string& what, std::int64_t count,
                   std::int64_t side) const {
    std::vector<at::Tensor> maps;
    std::int64_t mapBytes = 0;
    for (const int stride : {4, 8, 16, 32}) {
      const base::ImageSize size = sizes_.level(stride);
      maps.push_back(features({sizes_.images, size.height, size.width, kChannels})
                         .permute({0, 3, 1, 2})
                         .requires_grad_());
      mapBytes += maps.back().numel() * kFeatureBytes;
    }
    const std::int64_t total = sizes_.images * count;
    const at::Tensor flat = boxes(total).to(device_);
    const at::Tensor images = at::arange(sizes_.images).repeat_interleave(count).to(device_);
    const at::Tensor rois = at::cat({images.to(at::kFloat).unsqueeze(1), flat}, 1);
    const at::Tensor sides = (flat.slice(1, 2) - flat.slice(1, 0, 2)).prod(1).sqrt();
    const at::Tensor levels = ((sides / 224).log2().floor() + 2).clamp(0, 3).to(at::kLong);
    const auto pool = [=] {
      return ops::roiAlignPyramid(maps, kScales, rois, levels, {side, side, 2});
    };
    const at::Tensor gradient = features({total, side, side, kChannels}).permute({0, 3, 1, 2});
    const std::int64_t bytes =
        mapBytes + gradient.numel() * kFeatureBytes + bytesOf({rois, levels});
    rows.push_back({"RoIAlign, " + what, bytes, [=] {
                      const at::NoGradGuard noGradients;
                      pool();
                    }});
    // The graph is made at the first call and kept.
    const auto pooled = std::make_shared<at::Tensor>();
    rows.push_back({"RoIAlign backward, " + what, bytes, [=] {
                      if (!pooled->defined()) *pooled = pool();
                      torch::autograd::grad({*pooled}, maps, {gradient}, /*retain_graph=*/true);
                    }});
  }

  /// Forward and backward pass of an operator over a map.
  static void addBothPasses(std::vector<Kernel>& rows, const std::string& name,
                            const std::function<at::Tensor()>& run, const at::Tensor& input,
                            std::int64_t forwardBytes, std::int64_t backwardBytes) {
    rows.push_back({name, forwardBytes, [=] {
                      const at::NoGradGuard noGradients;
                      run();
                    }});
    // The graph is made at the first call and kept.
    const auto result = std::make_shared<at::Tensor>(), gradient = std::make_shared<at::Tensor>();
    rows.push_back({name + " backward", backwardBytes, [=] {
                      if (!result->defined()) {
                        *result = run();
                        *gradient = at::ones_like(*result);
                      }
                      torch::autograd::grad({*result}, {input}, {*gradient}, /*retain_graph=*/true);
                    }});
  }

  /// The stem's max pooling, and the epilogue of the widest convolutions of the first stage.
  void addMaps(std::vector<Kernel>& rows) const {
    const auto map = [&](int stride, std::int64_t channels) {
      const base::ImageSize size = sizes_.level(stride);
      return features({sizes_.images, size.height, size.width, channels}).permute({0, 3, 1, 2});
    };
    const auto bytes = [](const at::Tensor& tensor) { return tensor.numel() * kFeatureBytes; };
    const at::Tensor stem = map(2, 64).requires_grad_(), stage = map(4, kChannels).requires_grad_(),
                     skip = map(4, kChannels);
    // One byte for the argmax of every value.
    const std::int64_t pooling = bytes(stem) + bytes(stem) / 4 + stem.numel() / 4;
    addBothPasses(
        rows, "max-pool", [=] { return ops::maxPool3x3(stem); }, stem, pooling, pooling);
    const auto options = at::TensorOptions(at::kFloat).device(device_);
    const at::Tensor weight = at::ones({kChannels}, options),
                     bias = at::zeros({kChannels}, options);
    // Map, residual and result; backward the gradient too, and two written.
    addBothPasses(
        rows, "group norm, residual, ReLU",
        [=] {
          return ops::groupNorm(stage, weight, bias, skip, {32, 1e-5, true});
        },
        stage, 3 * bytes(stage), 5 * bytes(stage));
    const at::Tensor finished = map(4, kChannels);
    rows.push_back({"bias, residual, ReLU", 3 * bytes(stage), [=] {
                      const at::NoGradGuard noGradients;
                      ops::applyEpilogue(finished, {bias, skip, true});
                    }});
  }

  Kernel bestAnchors() const {
    const at::Tensor logits = features({sizes_.images, sizes_.anchors()});
    const std::int64_t out = sizes_.images * sizes_.candidates() * 16;
    const std::vector<std::int64_t> levels = sizes_.anchorsOfLevels();
    return {"best anchors of levels", logits.numel() * kFeatureBytes + out,
            [=] { ops::segmentedTopK(logits, levels, kPreNms); }};
  }

  Kernel suppression() const {
    const std::int64_t count = sizes_.candidates();
    std::vector<at::Tensor> levels;
    for (const std::int64_t anchors : sizes_.anchorsOfLevels()) {
      levels.push_back(at::full({std::min(anchors, kPreNms)},
                                static_cast<std::int64_t>(levels.size()), at::kLong));
    }
    const ops::NmsCandidates all{
        boxesOfImages(count),
        at::rand({sizes_.images, count}).to(device_),
        at::cat(levels).repeat({sizes_.images, 1}).to(device_),
        at::ones({sizes_.images, count}, at::TensorOptions(at::kBool).device(device_)),
        static_cast<std::int64_t>(levels.size()),
        kPreNms};
    const std::int64_t kept = sizes_.images * std::min(count, kPostNms) * 9;  // int64 and bool
    return {"NMS", bytesOf({all.boxesXyxy, all.scores, all.groups, all.valid}) + kept,
            [=] { ops::selectByNms(all, 0.7, kPostNms); }};
  }

  Kernel matching() const {
    const at::Tensor anchors = boxes(sizes_.anchors()).to(device_), gts = boxesOfImages(kObjects);
    const at::Tensor counts = integers(kObjects, kObjects + 1, 1).squeeze(1);
    const structures::GtBatch batch{gts, integers(1, kClasses, kObjects), counts, {}, {}};
    return {"matching, anchors", bytesOf({anchors, gts}) + sizes_.images * sizes_.anchors() * 8,
            [=] {
              ops::matchBoxes(batch, anchors, {0.7, 0.3, true});
            }};
  }

  Kernel sampling(const std::string& name, std::int64_t candidates, std::int64_t count) const {
    const at::Tensor draws = integers(0, 1000, candidates);
    const at::Tensor labels = (draws < 5).to(at::kLong) - (draws >= 950).to(at::kLong);
    ops::SamplingKeys keys;
    for (std::int64_t n = 0; n < sizes_.images; ++n) {
      keys.positive.push_back(static_cast<std::uint64_t>(n));
      keys.negative.push_back(static_cast<std::uint64_t>(n) + 1000);
    }
    return {name, bytesOf({labels}) + sizes_.images * count * 10, [=] {
              ops::sampleBalanced(labels, {count, 0.5}, keys);
            }};
  }

  Kernel decoding(const std::string& name, std::int64_t count, std::int64_t perBox,
                  std::int64_t chosen) const {
    const at::Tensor all = features({sizes_.images, count * perBox, 4});
    const ops::ChosenDeltas from{all, perBox == 1 ? boxes(count).to(device_) : boxesOfImages(count),
                                 perBox, integers(0, count * perBox, chosen)};
    const at::Tensor limits = structures::boxLimits(
        std::vector<base::ImageSize>(static_cast<std::size_t>(sizes_.images), sizes_.image),
        device_);
    // Reads an index, a delta and a box; writes a box and a bool.
    return {name, sizes_.images * chosen * (8 + 4 * kFeatureBytes + 16 + 16 + 1), [=] {
              ops::decodeBoxes(from, {10, 10, 5, 5}, limits, 1e-3);
            }};
  }

  Kernel encoding(const std::string& name, std::int64_t count, std::int64_t chosen) const {
    const ops::ChosenMatches from{boxesOfImages(count), integers(0, kObjects, count),
                                  boxesOfImages(kObjects), integers(0, count, chosen),
                                  integers(0, 2, chosen).to(at::kBool)};
    // Reads an index, a bool, a match and two boxes; writes a target.
    return {name, sizes_.images * chosen * (8 + 1 + 8 + 16 + 16 + 16), [=] {
              ops::encodeBoxes(from, {10, 10, 5, 5});
            }};
  }

  Kernel maskTargets() const {
    const structures::GtBatch gts =
        makeScene(std::vector<int>(static_cast<std::size_t>(sizes_.images), kObjects), sizes_.image,
                  /*seed=*/3)
            .gts;
    const at::Tensor objects = at::randint(0, kObjects, {sizes_.images, kPositives}, at::kLong);
    const at::Tensor flat =
        gts.boxesXyxy.gather(1, objects.unsqueeze(2).expand({-1, -1, 4})).flatten(0, 1);
    const auto area = (flat.slice(1, 2) - flat.slice(1, 0, 2)).prod(1).sum().item<double>();
    const ops::MaskRegions regions{
        flat.to(device_), at::arange(sizes_.images).repeat_interleave(kPositives).to(device_),
        objects.flatten().to(device_)};
    const structures::GtMasks masks = gts.to(device_).masks;
    const std::int64_t out = sizes_.images * kPositives * kMaskSide * kMaskSide * 4;
    return {"mask targets", static_cast<std::int64_t>(area) + out,  // a byte a pixel
            [=] { ops::maskTargets(masks, regions, kMaskSide); }};
  }

  Kernel pasting() const {
    const at::Tensor blobs =
        at::avg_pool2d(at::randn({kDetections, kMaskSide + 6, kMaskSide + 6}), {7, 7}, {1, 1});
    const at::Tensor probs = (blobs * 8).sigmoid(), where = boxes(kDetections);
    const base::ImageSize image = sizes_.image;
    std::int64_t runs = 0;
    for (const ops::MaskRuns& mask : ops::pasteMasks(probs, where, image))
      runs += static_cast<std::int64_t>(mask.size());
    const at::Tensor there = probs.to(device_), boxesThere = where.to(device_);
    return {"mask paste to runs, one image", bytesOf({probs, where}) + 4 * runs,
            [=] { ops::pasteMasks(there, boxesThere, image); }};
  }

  Sizes sizes_;
  at::Device device_;
};

#ifdef LOCKSTEP_CUDA

/// Median device time in seconds. Before each run a large buffer is filled, which flushes the
/// caches and lets the host run ahead.
double medianSeconds(const std::function<void()>& run) {
  const at::Tensor filler =
      at::empty({512LL << 20}, at::TensorOptions(at::kByte).device(at::kCUDA));
  cudaEvent_t begin, end;
  C10_CUDA_CHECK(cudaEventCreate(&begin));
  C10_CUDA_CHECK(cudaEventCreate(&end));
  const auto stream = c10::cuda::getCurrentCUDAStream();
  std::vector<float> milliseconds;
  for (int i = 0; i < 23; ++i) {
    filler.fill_(i);
    C10_CUDA_CHECK(cudaEventRecord(begin, stream));
    run();
    C10_CUDA_CHECK(cudaEventRecord(end, stream));
    C10_CUDA_CHECK(cudaEventSynchronize(end));
    float time = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&time, begin, end));
    if (i >= 3) milliseconds.push_back(time);
  }
  C10_CUDA_CHECK(cudaEventDestroy(begin));
  C10_CUDA_CHECK(cudaEventDestroy(end));
  std::nth_element(milliseconds.begin(), milliseconds.begin() + 10, milliseconds.end());
  return milliseconds[10] * 1e-3;
}

/// Bytes read and written per second by a copy of 1 GiB.
double bytesPerSecond() {
  const at::Tensor from = at::ones({1 << 28}, at::TensorOptions(at::kFloat).device(at::kCUDA));
  at::Tensor to = at::empty_like(from);
  return 2.0 * static_cast<double>(from.nbytes()) / medianSeconds([&] { to.copy_(from); });
}

int timeAll(const Sizes& sizes) {
  const double bandwidth = bytesPerSecond();
  std::printf("copying moves %.2f TB/s\n", bandwidth * 1e-12);
  std::printf("%-30s %12s %10s %10s %7s\n", "kernel", "MB to move", "floor us", "took us", "times");
  for (const Kernel& kernel : Kernels(sizes, at::Device(at::kCUDA, 0)).all()) {
    const double floor = static_cast<double>(kernel.bytes) / bandwidth;
    const double seconds = medianSeconds(kernel.run);
    std::printf("%-30s %12.3f %10.1f %10.1f %7.1f\n", kernel.name.c_str(),
                static_cast<double>(kernel.bytes) * 1e-6, floor * 1e6, seconds * 1e6,
                seconds / floor);
    std::fflush(stdout);
  }
  return 0;
}

#endif

int printBytes(const Sizes& sizes) {
  std::printf("%-30s %12s\n", "kernel", "MB to move");
  for (const Kernel& kernel : Kernels(sizes, at::kCPU).all()) {
    std::printf("%-30s %12.3f\n", kernel.name.c_str(), static_cast<double>(kernel.bytes) * 1e-6);
  }
  return 0;
}

int tryAll() {
  for (const Kernel& kernel : Kernels({2, {128, 160}}, at::kCPU).all()) {
    kernel.run();
    std::printf("ok  %s\n", kernel.name.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace lockstep::gpu

int main(int argc, char** argv) {
  using namespace lockstep::gpu;
  const std::string word = argc > 1 ? argv[1] : "8";
  if (word == "try") return tryAll();
  const Sizes sizes{std::max(1L, std::strtol(word.c_str(), nullptr, 10)), {800, 1344}};
#ifdef LOCKSTEP_CUDA
  if (torch::cuda::is_available()) return timeAll(sizes);
#endif
  return printBytes(sizes);
}
