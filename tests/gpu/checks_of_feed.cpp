#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <utility>

#include "engine/data/device_feed.h"
#include "engine/structures/ground_truth.h"
#include "engine/structures/packed_images.h"
#include "tests/gpu/check.h"
#include "tests/gpu/no_waiting.h"
#include "tests/gpu/scene.h"
#include "tests/support/masks.h"

namespace lockstep::gpu {
namespace {

using data::Batch;

constexpr std::int64_t kBatches = 24;

structures::HostMemory memoryFor(const at::Device& device) {
  return device.is_cuda() ? structures::HostMemory::Pinned : structures::HostMemory::Pageable;
}

/// Images of noise: sides of 1 px and more, upscaled and downscaled, flipped.
structures::PackedImages madePictures(std::int64_t number, std::vector<base::ImageSize>& sizes,
                                      structures::HostMemory memory) {
  at::Generator generator = at::detail::createCPUGenerator(static_cast<std::uint64_t>(number));
  std::vector<structures::ImageRow> rows;
  for (std::int64_t n = 0; n < 3; ++n) {
    const std::int64_t seed = 7 * number + 3 * n;
    const bool isSmall = seed % 11 == 0;
    rows.push_back({.height = isSmall ? 1 : 301 + 17 * (seed % 13),
                    .width = isSmall ? 1 + seed % 2 : 413 - 19 * (seed % 7),
                    .resizedHeight = 333 + 13 * (seed % 9),
                    .resizedWidth = seed % 5 == 0 ? 1 : 250 + 31 * (seed % 8),
                    .flipsHorizontally = seed % 2,
                    .flipsVertically = seed / 2 % 2});
    sizes.push_back({rows.back().resizedHeight, rows.back().resizedWidth});
  }
  const structures::PackedImages images = structures::makePackedImages(rows, memory);
  at::Tensor pixels = images.pixels;
  pixels.random_(0, 256, generator);
  return images;
}

/// Depends only on the number, not on the thread.
Batch madeBatch(std::int64_t number, structures::HostMemory memory) {
  Batch batch;
  batch.decoded = madePictures(number, batch.sizes, memory);
  batch.padded = data::paddedSize(batch.sizes);
  std::vector<structures::GtInstances> gts;
  for (std::int64_t n = 0; n < 3; ++n) {
    const std::int64_t count = (number + n) % 3 * 4;
    const at::Tensor masks = at::zeros({count, 30, 40}, at::kByte);
    for (std::int64_t g = 0; g < count; ++g) masks[g].slice(0, g, 20).slice(1, n, 30 - g).fill_(1);
    gts.push_back({at::full({count, 4}, static_cast<double>(number * 10 + n)),
                   at::full({count}, number, at::kLong), tests::cropped(masks)});
  }
  batch.gts = structures::batchGroundTruth(gts, memory);
  batch.step = number;
  return batch;
}

Finding imagesAreTheSame(const at::Device& device) {
  Finding finding{true, ""};
  for (const auto& [type, limit] : {std::pair{at::kFloat, 1e-6}, {at::kBFloat16, 1e-4}}) {
    double largest = 0;
    for (std::int64_t number = 0; number < 6; ++number) {
      const Batch batch = madeBatch(number, memoryFor(device));
      largest = std::max(largest, relativeDifference(batch.to(device, type).images,
                                                     batch.to(at::kCPU, type).images));
    }
    finding = both(finding, within(c10::toString(type), largest, limit));
  }
  return finding;
}

std::unique_ptr<data::Prefetcher> madeBatches(const at::Device& device) {
  const structures::HostMemory memory = memoryFor(device);
  return std::make_unique<data::Prefetcher>(
      [memory](std::int64_t number) { return madeBatch(number, memory); }, 0, kBatches, 3);
}

/// Checksums of a batch, which remain after its memory was released: sums in double, on the device.
at::Tensor sumsOf(const Batch& batch) {
  return at::stack({batch.images.abs().sum(at::kDouble), batch.images.square().sum(at::kDouble),
                    batch.gts.boxesXyxy.sum(at::kDouble), batch.gts.classes.sum(at::kDouble),
                    batch.gts.counts.sum(at::kDouble), batch.gts.masks.windows.sum(at::kDouble),
                    batch.gts.masks.pixels.sum(at::kDouble)});
}

/// The largest relative difference of sums; all summands are non-negative.
double largestDifference(const at::Tensor& got, const at::Tensor& expected) {
  const at::Tensor here = got.cpu();
  return ((here - expected).abs() / (expected.abs() + 1)).max().item<double>();
}

/// With the device kept busy, so that the host runs ahead of it.
Finding feedGivesEveryBatchInTurn(const at::Device& device) {
  std::vector<at::Tensor> got, expected;
  at::Tensor busy = at::randn({1024, 1024}, at::TensorOptions(device)) / 32;
  data::DeviceFeed feed(madeBatches(device), device);
  for (std::int64_t number = 0; number < kBatches; ++number) {
    const Batch batch = feed.next();
    if (batch.step != number) return {false, "batch " + std::to_string(number) + " is another"};
    for (int i = 0; device.is_cuda() && i < 20; ++i) busy = busy.mm(busy).clamp(-1, 1);
    got.push_back(sumsOf(batch));
    expected.push_back(sumsOf(madeBatch(number, structures::HostMemory::Pageable).to(at::kCPU)));
  }
  return within(std::to_string(kBatches) + " batches",
                largestDifference(at::stack(got), at::stack(expected)), 1e-6);
}

/// Allocating new memory synchronises, so the first batches are not checked.
Finding feedWaitsForNothing(const at::Device& device) {
  data::DeviceFeed feed(madeBatches(device), device);
  for (int i = 0; i < 4; ++i) feed.next();
  try {
    const NoWaiting guard(device);
    for (int i = 4; i < kBatches; ++i) feed.next();
  } catch (const c10::Error& error) {
    return {false, error.what_without_backtrace()};
  }
  return {true, device.is_cuda() ? "no host synchronisation" : "nothing to wait for"};
}

/// With copies in flight: released memory must not be reused before they are done.
Finding feedMayEndAtAnyTime(const at::Device& device) {
  std::optional<Batch> kept;
  for (int taken = 0; taken < 5; ++taken) {
    data::DeviceFeed feed(madeBatches(device), device);
    for (int i = 0; i < taken; ++i) kept = feed.next();
  }
  const at::Tensor other = at::zeros({64 << 20}, at::TensorOptions(at::kByte).device(device));
  const at::Tensor expected = sumsOf(madeBatch(3, structures::HostMemory::Pageable).to(at::kCPU));
  const bool isClean = other.sum().item<std::int64_t>() == 0;
  return both({isClean, isClean ? "nothing written later" : "memory was written later"},
              within("last batch", largestDifference(sumsOf(*kept), expected), 1e-6));
}

}  // namespace

std::vector<Check> feedChecks() {
  return {{"images of pictures", imagesAreTheSame},
          {"feed, order and contents", feedGivesEveryBatchInTurn},
          {"feed waits for nothing", feedWaitsForNothing},
          {"feed ends at any time", feedMayEndAtAnyTime}};
}

}  // namespace lockstep::gpu
