#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdint>

#include "engine/ops/cuda/group_norm.cuh"
#include "engine/ops/group_norm.h"

namespace lockstep::ops {
namespace {

constexpr int kPartPixels = 128;
/// Blocks of an image that goes over its map in steps.
constexpr std::int64_t kMostBlocks = 1024;

NormSize sizeOf(const at::Tensor& map, std::int64_t groups) {
  const std::int64_t pixels = map.size(2) * map.size(3);
  return {static_cast<int>(map.size(1)), static_cast<int>(groups), pixels, kPartPixels,
          static_cast<int>((pixels + kPartPixels - 1) / kPartPixels)};
}

/// The launches of a map, kCount channels a thread.
template <typename T, int kCount>
class Launches {
 public:
  Launches(const NormSize& size, std::int64_t images)
      : size_(size), images_(static_cast<unsigned>(images)) {}

  template <typename Terms>
  void sumChannels(const Terms& terms, Wide<T>* sums) const {
    const int packs = size_.channels / kCount;
    const dim3 grid(static_cast<unsigned>(size_.parts), images_,
                    static_cast<unsigned>((packs + kNormThreads - 1) / kNormThreads));
    channelSumsKernel<T, kCount><<<grid, kNormThreads, 0, stream_>>>(size_, terms, sums);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  }

  /// Blocks that go over all packs of an image.
  dim3 overPacks() const {
    const std::int64_t packs = size_.pixels * size_.channels / kCount;
    const std::int64_t blocks = (packs + kNormThreads - 1) / kNormThreads;
    return {static_cast<unsigned>(std::min(blocks, kMostBlocks)), images_, 1};
  }
  dim3 overGroups() const { return {static_cast<unsigned>(size_.groups), images_, 1}; }
  cudaStream_t stream() const { return stream_; }

 private:
  NormSize size_;
  unsigned images_;
  cudaStream_t stream_ = c10::cuda::getCurrentCUDAStream();
};

/// Of the sums of channels and what is made of them.
at::TensorOptions wideOptions(const at::Tensor& map) {
  return map.options()
      .dtype(map.scalar_type() == at::kDouble ? at::kDouble : at::kFloat)
      .memory_format(at::MemoryFormat::Contiguous);
}

at::Tensor emptySums(const at::Tensor& map, const NormSize& size) {
  return at::empty({map.size(0), size.parts, 2, size.channels}, wideOptions(map));
}

template <typename T, int kCount>
void forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
             const at::Tensor& residual, const GroupNormOptions& options, GroupNormResult& result) {
  using W = Wide<T>;
  const NormSize size = sizeOf(x, options.groups);
  const Launches<T, kCount> launches(size, x.size(0));
  at::Tensor sums = emptySums(x, size);
  launches.sumChannels(Moments<T, kCount>{x.const_data_ptr<T>()}, sums.data_ptr<W>());
  normMomentsKernel<W><<<launches.overGroups(), kGroupThreads, 0, launches.stream()>>>(
      size, options.epsilon, sums.const_data_ptr<W>(), weight.const_data_ptr<W>(),
      bias.const_data_ptr<W>(), result.moments.data_ptr<W>(), result.affine.data_ptr<W>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  normaliseKernel<T, kCount><<<launches.overPacks(), kNormThreads, 0, launches.stream()>>>(
      size, x.const_data_ptr<T>(), residual.defined() ? residual.const_data_ptr<T>() : nullptr,
      result.affine.const_data_ptr<W>(), options.hasRelu, result.out.data_ptr<T>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

/// What the backward pass fills.
struct Gradients {
  at::Tensor x, residual;  // residual may be undefined
  at::Tensor parameters;   // [N,2,C], those of weight and bias image by image
};

template <typename T, int kCount>
void backward(const at::Tensor& grad, const GroupNormSaved& saved, Gradients& result) {
  using W = Wide<T>;
  const NormSize size = sizeOf(saved.x, saved.groups);
  const Launches<T, kCount> launches(size, saved.x.size(0));
  const T *gradOut = grad.const_data_ptr<T>(), *x = saved.x.const_data_ptr<T>();
  const ReluGate<T> gate{saved.hasRelu,
                         saved.out.defined() ? saved.out.const_data_ptr<T>() : nullptr,
                         saved.affine.const_data_ptr<W>()};
  at::Tensor sums = emptySums(saved.x, size),
             coefficients = at::empty({saved.x.size(0), 3, size.channels}, wideOptions(saved.x));
  launches.sumChannels(GradientProducts<T, kCount>{gradOut, x, gate, size}, sums.data_ptr<W>());
  normCoefficientsKernel<W><<<launches.overGroups(), kGroupThreads, 0, launches.stream()>>>(
      size, sums.const_data_ptr<W>(), saved.moments.const_data_ptr<W>(),
      saved.weight.const_data_ptr<W>(), coefficients.data_ptr<W>(),
      result.parameters.data_ptr<W>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  normBackwardKernel<T, kCount><<<launches.overPacks(), kNormThreads, 0, launches.stream()>>>(
      size, gradOut, x, gate, coefficients.const_data_ptr<W>(), result.x.data_ptr<T>(),
      result.residual.defined() ? result.residual.data_ptr<T>() : nullptr);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

template <typename T>
bool havePacks(std::int64_t channels, std::initializer_list<at::Tensor> maps) {
  return std::all_of(maps.begin(), maps.end(), [channels](const at::Tensor& map) {
    return !map.defined() || hasPacks(map.const_data_ptr<T>(), channels);
  });
}

}  // namespace

static_assert(cuda::kMostGroupWidth == kMostGroupWidth);

GroupNormResult cuda::groupNorm(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& bias, const at::Tensor& residual,
                                const GroupNormOptions& options) {
  const c10::cuda::CUDAGuard guard(x.device());
  const auto wide = wideOptions(x);
  GroupNormResult result{at::empty_like(x), at::empty({x.size(0), options.groups, 2}, wide),
                         at::empty({x.size(0), 2, x.size(1)}, wide)};
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "group_norm", [&] {
    const auto run = havePacks<scalar_t>(x.size(1), {x, residual, result.out})
                         ? forward<scalar_t, kPackCount<scalar_t>>
                         : forward<scalar_t, 1>;
    run(x, weight, bias, residual, options, result);
  });
  return result;
}

std::vector<at::Tensor> cuda::groupNormBackward(const at::Tensor& grad,
                                                const GroupNormSaved& saved) {
  const c10::cuda::CUDAGuard guard(grad.device());
  const std::int64_t images = saved.x.size(0), channels = saved.x.size(1);
  Gradients result{at::empty_like(saved.x),
                   saved.hasResidual ? at::empty_like(saved.x) : at::Tensor(),
                   at::empty({images, 2, channels}, wideOptions(saved.x))};
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, grad.scalar_type(), "group_norm_backward", [&] {
        const auto run =
            havePacks<scalar_t>(channels, {grad, saved.x, saved.out, result.x, result.residual})
                ? backward<scalar_t, kPackCount<scalar_t>>
                : backward<scalar_t, 1>;
        run(grad, saved, result);
      });
  const at::Tensor ofParameters = result.parameters.sum(0);
  return {result.x, ofParameters[0], ofParameters[1], result.residual};
}

}  // namespace lockstep::ops
