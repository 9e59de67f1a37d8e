#include "engine/ops/roi_align.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>

#include "engine/ops/cpu/roi_sampling.h"
#include "engine/ops/cpu/vector_clones.h"
#include "engine/ops/spare_threads.h"

namespace lockstep::ops {
namespace {

constexpr std::int64_t kChannelBlock = 32;  // channels per thread in the backward pass

/// Distances between pixels of a channels_last image, in elements.
struct PixelStrides {
  std::int64_t row, column;
};

/// Region of an image [H,W,C] -> out [bins,bins,C].
template <typename T>
[[gnu::always_inline]] inline void poolBody(const T* image, PixelStrides strides,
                                            const RegionTaps& region, std::int64_t channels,
                                            T* out) {
  const AxisTaps &rows = region.rows, &columns = region.columns;
  for (std::size_t i = 0; i + 1 < rows.begin.size(); ++i) {
    for (std::size_t j = 0; j + 1 < columns.begin.size(); ++j, out += channels) {
      for (std::int64_t c = 0; c < channels; ++c) out[c] = 0;
      for (std::int32_t r = rows.begin[i]; r < rows.begin[i + 1]; ++r) {
        const T* row = image + rows.taps[r].pixel * strides.row;
        for (std::int32_t k = columns.begin[j]; k < columns.begin[j + 1]; ++k) {
          const T weight = static_cast<T>(rows.taps[r].weight) * columns.taps[k].weight;
          const T* pixel = row + columns.taps[k].pixel * strides.column;
          for (std::int64_t c = 0; c < channels; ++c) out[c] += weight * pixel[c];
        }
      }
    }
  }
}

/// The transpose of poolBody for `count` channels: adds the gradient of a region to that of its
/// image. Both pointers stand at the first of these channels; gradOut [bins,bins,outChannels].
template <typename T>
[[gnu::always_inline]] inline void poolBackwardBody(T* gradImage, PixelStrides strides,
                                                    const RegionTaps& region, std::int64_t count,
                                                    std::int64_t outChannels, const T* gradOut) {
  const AxisTaps &rows = region.rows, &columns = region.columns;
  for (std::size_t i = 0; i + 1 < rows.begin.size(); ++i) {
    for (std::size_t j = 0; j + 1 < columns.begin.size(); ++j, gradOut += outChannels) {
      for (std::int32_t r = rows.begin[i]; r < rows.begin[i + 1]; ++r) {
        T* row = gradImage + rows.taps[r].pixel * strides.row;
        for (std::int32_t k = columns.begin[j]; k < columns.begin[j + 1]; ++k) {
          const T weight = static_cast<T>(rows.taps[r].weight) * columns.taps[k].weight;
          T* pixel = row + columns.taps[k].pixel * strides.column;
          for (std::int64_t c = 0; c < count; ++c) pixel[c] += weight * gradOut[c];
        }
      }
    }
  }
}

LOCKSTEP_VECTOR_CLONES
void pool(const float* image, PixelStrides strides, const RegionTaps& region, std::int64_t channels,
          float* out) {
  poolBody(image, strides, region, channels, out);
}
LOCKSTEP_VECTOR_CLONES
void pool(const double* image, PixelStrides strides, const RegionTaps& region,
          std::int64_t channels, double* out) {
  poolBody(image, strides, region, channels, out);
}
LOCKSTEP_VECTOR_CLONES
void poolBackward(float* gradImage, PixelStrides strides, const RegionTaps& region,
                  std::int64_t count, std::int64_t outChannels, const float* gradOut) {
  poolBackwardBody(gradImage, strides, region, count, outChannels, gradOut);
}
LOCKSTEP_VECTOR_CLONES
void poolBackward(double* gradImage, PixelStrides strides, const RegionTaps& region,
                  std::int64_t count, std::int64_t outChannels, const double* gradOut) {
  poolBackwardBody(gradImage, strides, region, count, outChannels, gradOut);
}

/// A set of RoIs that are pooled to one size.
struct Regions {
  at::Tensor rois;    // [K,5] float32, contiguous, CPU
  at::Tensor levels;  // [K] int64, contiguous, CPU
  std::vector<double> scales;
  RoiAlignShape shape;

  Regions(const RoiSet& set, const std::vector<double>& spatialScales)
      : rois(set.rois), levels(set.levels), scales(spatialScales), shape(set.shape) {}

  std::int64_t count() const { return rois.size(0); }
  std::int64_t levelOf(std::int64_t k) const { return levels.const_data_ptr<std::int64_t>()[k]; }
  bool isPresent(std::int64_t k) const { return levelOf(k) != kNoLevel; }
  std::int64_t imageOf(std::int64_t k) const {
    return static_cast<std::int64_t>(rois.const_data_ptr<float>()[5 * k]);
  }
  RegionTaps taps(std::int64_t k, std::int64_t height, std::int64_t width) const {
    const float* box = rois.const_data_ptr<float>() + 5 * k + 1;
    return regionTaps(box, static_cast<float>(scales[levelOf(k)]), height, width, shape);
  }
  void check(std::int64_t images, std::size_t levelCount) const {
    for (std::int64_t k = 0; k < count(); ++k) {
      TORCH_CHECK(imageOf(k) >= 0 && imageOf(k) < images, "rois[", k, "] has image index ",
                  imageOf(k), " of ", images);
      TORCH_CHECK(levelOf(k) >= kNoLevel && levelOf(k) < static_cast<std::int64_t>(levelCount),
                  "levels[", k, "] is ", levelOf(k), " of ", levelCount);
    }
  }
};

template <typename T>
void poolAll(const std::vector<at::Tensor>& features, const Regions& regions, at::Tensor& out) {
  const std::int64_t channels = out.size(1), binCount = out.size(2) * out.size(3);
  T* outData = out.data_ptr<T>();
  const cpu::OnSpareThreads threads;
  at::parallel_for(0, regions.count(), 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      if (!regions.isPresent(k)) {
        std::fill_n(outData + k * binCount * channels, binCount * channels, T{0});
        continue;
      }
      const at::Tensor& level = features[regions.levelOf(k)];
      const T* image = level.const_data_ptr<T>() + regions.imageOf(k) * level.stride(0);
      pool(image, {level.stride(2), level.stride(3)}, regions.taps(k, level.size(2), level.size(3)),
           channels, outData + k * binCount * channels);
    }
  });
}

/// The output gradient of a set of RoIs, channels_last, and their levels.
struct SetGrad {
  Regions regions;
  at::Tensor gradOut;
  std::vector<RegionTaps> taps;

  SetGrad(Regions of, at::Tensor grad, const std::vector<at::Tensor>& levels)
      : regions(std::move(of)), gradOut(std::move(grad)), taps(regions.count()) {
    at::parallel_for(0, regions.count(), 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        if (!regions.isPresent(k)) continue;
        const at::Tensor& level = levels[regions.levelOf(k)];
        taps[k] = regions.taps(k, level.size(2), level.size(3));
      }
    });
  }
};

/// Adds channels [channel, channel + kChannelBlock) of an image's regions to the levels.
template <typename T>
void poolBlockBackward(const SetGrad& grad, std::int64_t image, std::int64_t channel,
                       std::vector<at::Tensor>& levels) {
  const Regions& regions = grad.regions;
  const std::int64_t channels = grad.gradOut.size(1),
                     binCount = grad.gradOut.size(2) * grad.gradOut.size(3);
  for (std::int64_t k = 0; k < regions.count(); ++k) {
    if (regions.imageOf(k) != image || !regions.isPresent(k)) continue;
    const at::Tensor& level = levels[regions.levelOf(k)];
    poolBackward(level.data_ptr<T>() + image * level.stride(0) + channel,
                 {level.stride(2), level.stride(3)}, grad.taps[k],
                 std::min(kChannelBlock, channels - channel), channels,
                 grad.gradOut.const_data_ptr<T>() + k * binCount * channels + channel);
  }
}

/// Each thread owns a block of channels of an image and walks the sets and their regions in order,
/// so that the order in which a pixel's gradient is added up does not depend on the threads.
template <typename T>
void poolAllBackward(const std::vector<SetGrad>& sets, std::vector<at::Tensor>& levels) {
  const std::int64_t images = levels.front().size(0), channels = levels.front().size(1);
  const std::int64_t blocks = (channels + kChannelBlock - 1) / kChannelBlock;
  at::parallel_for(0, images * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      for (const SetGrad& set : sets)
        poolBlockBackward<T>(set, part / blocks, part % blocks * kChannelBlock, levels);
    }
  });
}

/// Strides of an image whose channels lie beside each other. contiguous() leaves sizes of 1 with
/// any stride.
at::Tensor channelsLast(const at::Tensor& tensor) {
  at::Tensor result = tensor.contiguous(at::MemoryFormat::ChannelsLast);
  const std::int64_t c = result.size(1), h = result.size(2), w = result.size(3);
  return result.as_strided(result.sizes(), {h * w * c, 1, w * c, c});
}

}  // namespace

std::vector<at::Tensor> cpu::roiAlign(at::TensorList features,
                                      const std::vector<double>& spatialScales,
                                      const std::vector<RoiSet>& sets) {
  std::vector<at::Tensor> levels, pooled;
  for (const at::Tensor& level : features) levels.push_back(channelsLast(level));
  for (const RoiSet& set : sets) {
    const Regions regions(set, spatialScales);
    regions.check(features[0].size(0), features.size());
    at::Tensor out =
        at::empty({regions.count(), features[0].size(1), set.shape.height, set.shape.width},
                  features[0].options().memory_format(at::MemoryFormat::ChannelsLast));
    if (out.scalar_type() == at::kDouble) {
      poolAll<double>(levels, regions, out);
    } else {
      poolAll<float>(levels, regions, out);
    }
    pooled.push_back(out);
  }
  return pooled;
}

std::vector<at::Tensor> cpu::roiAlignBackward(const std::vector<RoiSetGrad>& sets,
                                              const std::vector<double>& spatialScales,
                                              const std::vector<std::vector<std::int64_t>>& sizes) {
  const at::TensorOptions options = sets.front().gradOut.options();
  std::vector<at::Tensor> grads;
  for (const auto& size : sizes) {
    grads.push_back(at::zeros({size[0], size[2], size[3], size[1]}, options).permute({0, 3, 1, 2}));
  }
  std::vector<SetGrad> setGrads;
  for (const RoiSetGrad& each : sets)
    setGrads.emplace_back(Regions(each.set, spatialScales), channelsLast(each.gradOut), grads);
  if (options.dtype() == at::kDouble) {
    poolAllBackward<double>(setGrads, grads);
  } else {
    poolAllBackward<float>(setGrads, grads);
  }
  return grads;
}

}  // namespace lockstep::ops
