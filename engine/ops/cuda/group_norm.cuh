#pragma once

#include <cmath>
#include <cstdint>

#include "engine/ops/cuda/channel_packs.cuh"
#include "engine/ops/host_device.h"

/// Kernels of group_norm.cu, of channels_last maps. Letters: N images, C channels, G groups, P
/// parts of an image. Two sums of every channel are accumulated part by part, in a fixed order: by
/// one thread over some pixels, over the threads of a block, over the parts.
namespace lockstep::ops {

constexpr int kNormThreads = 256;   // of a block that iterates over pixels
constexpr int kGroupThreads = 128;  // of one that iterates over the parts of a group
constexpr int kMostGroupWidth = kGroupThreads;

struct NormSize {
  int channels, groups;
  std::int64_t pixels;  // of an image
  int partPixels, parts;

  LOCKSTEP_HOST_DEVICE int groupWidth() const { return channels / groups; }
};

/// Values of kCount neighbouring channels, which a thread keeps while it iterates over pixels.
template <typename W, int kCount>
struct OfChannels {
  W values[kCount];

  __device__ void load(const W* first) {
    for (int i = 0; i < kCount; ++i) values[i] = first[i];
  }
};

/// The normalisation as x * factor + shift, [N,2,C]; a ReLU may follow.
template <typename W, int kCount>
struct Normalisation {
  OfChannels<W, kCount> factor, shift;

  __device__ void load(const W* affine, int image, int channel, const NormSize& size) {
    const W* row = affine + std::int64_t{2} * image * size.channels + channel;
    factor.load(row);
    shift.load(row + size.channels);
  }
  template <typename T>
  __device__ W of(T x, int i) const {
    return std::fma(static_cast<W>(x), factor.values[i], shift.values[i]);
  }
};

/// Packs of kCount channels that a thread iterates over: of image blockIdx.y from `first` on,
/// `stride` apart, up to `end`; they have the same channels when hasSameChannels.
template <int kCount>
struct PackWalk {
  std::int64_t first, stride, end, imageOffset;
  bool hasSameChannels;

  __device__ explicit PackWalk(const NormSize& size)
      : first(static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x),
        stride(static_cast<std::int64_t>(gridDim.x) * blockDim.x),
        end(size.pixels * size.channels / kCount),
        imageOffset(blockIdx.y * size.pixels * size.channels),
        hasSameChannels(stride * kCount % size.channels == 0) {}
  __device__ static int channelOf(std::int64_t pack, const NormSize& size) {
    return static_cast<int>(pack * kCount % size.channels);
  }
};

/// ReLU mask of the backward pass, if there is a ReLU.
template <typename T>
struct ReluGate {
  bool hasRelu;
  const T* output;        // after the ReLU; null: recomputed from x and affine
  const Wide<T>* affine;  // [N,2,C]
};

/// Terms summed by channelSumsKernel: values and their squares.
template <typename T, int kCount>
struct Moments {
  const T* x;

  __device__ void add(std::int64_t offset, int, Wide<T> (&first)[kCount],
                      Wide<T> (&second)[kCount]) const {
    const auto values = *reinterpret_cast<const Pack<T, kCount>*>(x + offset);
    for (int i = 0; i < kCount; ++i) {
      const auto value = static_cast<Wide<T>>(values.values[i]);
      first[i] += value;
      second[i] += value * value;
    }
  }
};

/// The gradient after the ReLU of kCount channels, and their x.
template <typename T, int kCount>
struct GatedGradient {
  Wide<T> values[kCount];
  Pack<T, kCount> x;

  __device__ GatedGradient(const T* grad, const T* input, const ReluGate<T>& gate,
                           const Normalisation<Wide<T>, kCount>& normalisation,
                           std::int64_t offset) {
    const auto gradients = *reinterpret_cast<const Pack<T, kCount>*>(grad + offset);
    x = *reinterpret_cast<const Pack<T, kCount>*>(input + offset);
    Pack<T, kCount> out = x;
    if (gate.output != nullptr)
      out = *reinterpret_cast<const Pack<T, kCount>*>(gate.output + offset);
    for (int i = 0; i < kCount; ++i) {
      const Wide<T> behind = gate.output != nullptr ? static_cast<Wide<T>>(out.values[i])
                                                    : normalisation.of(x.values[i], i);
      values[i] = !gate.hasRelu || behind > 0 ? static_cast<Wide<T>>(gradients.values[i]) : 0;
    }
  }
};

/// Terms summed by channelSumsKernel: gradients g after the ReLU, and g * x.
template <typename T, int kCount>
struct GradientProducts {
  const T *grad, *x;
  ReluGate<T> gate;
  NormSize size;

  __device__ void add(std::int64_t offset, int channel, Wide<T> (&first)[kCount],
                      Wide<T> (&second)[kCount]) const {
    Normalisation<Wide<T>, kCount> normalisation;
    normalisation.load(gate.affine, static_cast<int>(blockIdx.y), channel, size);
    const GatedGradient<T, kCount> gradient(grad, x, gate, normalisation, offset);
    for (int i = 0; i < kCount; ++i) {
      first[i] += gradient.values[i];
      second[i] += gradient.values[i] * static_cast<Wide<T>>(gradient.x.values[i]);
    }
  }
};

/// Two sums of every channel over the part blockIdx.x of the image blockIdx.y, of channels from
/// blockIdx.z * kNormThreads * kCount on; sums [N,P,2,C].
template <typename T, int kCount, typename Terms>
__global__ void channelSumsKernel(NormSize size, Terms terms, Wide<T>* sums) {
  __shared__ Wide<T> space[2][kNormThreads][kCount];
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const int firstPack = static_cast<int>(blockIdx.z) * threads,
            left = size.channels / kCount - firstPack, packs = left < threads ? left : threads;
  const int lanes = threads / packs, lane = thread / packs,
            channel = (firstPack + thread % packs) * kCount;
  Wide<T> first[kCount] = {}, second[kCount] = {};
  if (lane < lanes) {
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * size.partPixels,
                       rest = size.pixels - begin, image = blockIdx.y * size.pixels;
    const int count = static_cast<int>(rest < size.partPixels ? rest : size.partPixels);
    for (int pixel = lane; pixel < count; pixel += lanes)
      terms.add((image + begin + pixel) * size.channels + channel, channel, first, second);
  }
  for (int i = 0; i < kCount; ++i) {
    space[0][thread][i] = first[i];
    space[1][thread][i] = second[i];
  }
  __syncthreads();
  if (lane != 0) return;
  const std::int64_t part = static_cast<std::int64_t>(blockIdx.y) * size.parts + blockIdx.x;
  for (int which = 0; which < 2; ++which) {
    for (int i = 0; i < kCount; ++i) {
      Wide<T> sum = 0;
      for (int other = 0; other < lanes; ++other) sum += space[which][other * packs + thread][i];
      sums[(2 * part + which) * size.channels + channel + i] = sum;
    }
  }
}

/// Sums the parts of one group (blockIdx.x) of one image (blockIdx.y): totals [2][group width].
/// All threads of the block call it, and may read `totals` afterwards.
template <typename W>
__device__ void addParts(const NormSize& size, const W* sums, double (&space)[2][kGroupThreads],
                         double (&totals)[2][kMostGroupWidth]) {
  const int thread = static_cast<int>(threadIdx.x), width = size.groupWidth(),
            lanes = static_cast<int>(blockDim.x) / width, lane = thread / width,
            channel = static_cast<int>(blockIdx.x) * width + thread % width;
  double first = 0, second = 0;
  for (int part = lane; lane < lanes && part < size.parts; part += lanes) {
    const std::int64_t row = 2 * (static_cast<std::int64_t>(blockIdx.y) * size.parts + part);
    first += sums[row * size.channels + channel];
    second += sums[(row + 1) * size.channels + channel];
  }
  space[0][thread] = first;
  space[1][thread] = second;
  __syncthreads();
  if (thread < width) {
    for (int which = 0; which < 2; ++which) {
      double total = 0;
      for (int other = 0; other < lanes; ++other) total += space[which][other * width + thread];
      totals[which][thread] = total;
    }
  }
  __syncthreads();
}

/// sums of values and squares [N,P,2,C] -> moments (mean, reciprocal deviation) [N,G,2] and affine
/// [N,2,C]. weight and bias [C].
template <typename W>
__global__ void normMomentsKernel(NormSize size, double epsilon, const W* sums, const W* weight,
                                  const W* bias, W* moments, W* affine) {
  __shared__ double space[2][kGroupThreads];
  __shared__ double totals[2][kMostGroupWidth];
  addParts(size, sums, space, totals);
  const int width = size.groupWidth(), group = static_cast<int>(blockIdx.x);
  const std::int64_t image = blockIdx.y;
  double sum = 0, square = 0;
  for (int c = 0; c < width; ++c) {
    sum += totals[0][c];
    square += totals[1][c];
  }
  const double count = static_cast<double>(size.pixels) * width, mean = sum / count;
  const double spread = square / count - mean * mean;
  const double scale = 1.0 / std::sqrt((spread > 0 ? spread : 0.0) + epsilon);
  if (threadIdx.x == 0) {
    moments[2 * (image * size.groups + group)] = static_cast<W>(mean);
    moments[2 * (image * size.groups + group) + 1] = static_cast<W>(scale);
  }
  for (int c = static_cast<int>(threadIdx.x); c < width; c += static_cast<int>(blockDim.x)) {
    const int channel = group * width + c;
    const double factor = scale * weight[channel];
    affine[2 * image * size.channels + channel] = static_cast<W>(factor);
    affine[(2 * image + 1) * size.channels + channel] =
        static_cast<W>(bias[channel] - mean * factor);
  }
}

/// out = x * factor + shift (+ residual), and ReLU. blockIdx.y: the image.
template <typename T, int kCount>
__global__ void normaliseKernel(NormSize size, const T* x, const T* residual, const Wide<T>* affine,
                                bool hasRelu, T* out) {
  const PackWalk<kCount> walk(size);
  const auto image = static_cast<int>(blockIdx.y);
  Normalisation<Wide<T>, kCount> normalisation;
  normalisation.load(affine, image, walk.channelOf(walk.first, size), size);
  for (std::int64_t pack = walk.first; pack < walk.end; pack += walk.stride) {
    const std::int64_t offset = walk.imageOffset + pack * kCount;
    if (!walk.hasSameChannels) normalisation.load(affine, image, walk.channelOf(pack, size), size);
    auto values = *reinterpret_cast<const Pack<T, kCount>*>(x + offset);
    Pack<T, kCount> others;
    if (residual != nullptr) others = *reinterpret_cast<const Pack<T, kCount>*>(residual + offset);
    for (int k = 0; k < kCount; ++k) {
      Wide<T> value = normalisation.of(values.values[k], k);
      if (residual != nullptr) value += static_cast<Wide<T>>(others.values[k]);
      // Written so that NaN propagates.
      if (hasRelu && value <= 0) value = 0;
      values.values[k] = static_cast<T>(value);
    }
    *reinterpret_cast<Pack<T, kCount>*>(out + offset) = values;
  }
}

/// Of sums of g and g * x [N,P,2,C]: coefficients [N,3,C] with gradX = g * first + x * second +
/// third, and what the image adds to the gradients of weight and bias, parameters [N,2,C]. Mean and
/// deviation depend on every x of the group: hence the two terms beside g's own.
template <typename W>
__global__ void normCoefficientsKernel(NormSize size, const W* sums, const W* moments,
                                       const W* weight, W* coefficients, W* parameters) {
  __shared__ double space[2][kGroupThreads];
  __shared__ double totals[2][kMostGroupWidth];
  addParts(size, sums, space, totals);
  const int width = size.groupWidth(), group = static_cast<int>(blockIdx.x);
  const std::int64_t image = blockIdx.y;
  const double mean = moments[2 * (image * size.groups + group)],
               scale = moments[2 * (image * size.groups + group) + 1];
  double gradSum = 0, productSum = 0;
  for (int c = 0; c < width; ++c) {
    gradSum += totals[0][c] * weight[group * width + c];
    productSum += totals[1][c] * weight[group * width + c];
  }
  const double count = static_cast<double>(size.pixels) * width;
  const double ofInput = (gradSum * mean - productSum) * scale * scale * scale / count;
  const double constant = -ofInput * mean - gradSum * scale / count;
  for (int c = static_cast<int>(threadIdx.x); c < width; c += static_cast<int>(blockDim.x)) {
    const int channel = group * width + c;
    W* row = coefficients + 3 * image * size.channels + channel;
    row[0] = static_cast<W>(scale * weight[channel]);
    row[size.channels] = static_cast<W>(ofInput);
    row[2 * size.channels] = static_cast<W>(constant);
    W* gradients = parameters + 2 * image * size.channels + channel;
    gradients[0] = static_cast<W>((totals[1][c] - mean * totals[0][c]) * scale);
    gradients[size.channels] = static_cast<W>(totals[0][c]);
  }
}

/// gradX = g * ofGradient + x * ofInput + constant, [N,3,C].
template <typename W, int kCount>
struct BackwardTerms {
  OfChannels<W, kCount> ofGradient, ofInput, constant;

  __device__ void load(const W* coefficients, int image, int channel, const NormSize& size) {
    const W* row = coefficients + std::int64_t{3} * image * size.channels + channel;
    ofGradient.load(row);
    ofInput.load(row + size.channels);
    constant.load(row + 2 * size.channels);
  }
  __device__ W of(W gradient, W x, int i) const {
    return gradient * ofGradient.values[i] + (x * ofInput.values[i] + constant.values[i]);
  }
};

/// gradX, and gradResidual (may be null), which is g. blockIdx.y: the image.
template <typename T, int kCount>
__global__ void normBackwardKernel(NormSize size, const T* grad, const T* x, ReluGate<T> gate,
                                   const Wide<T>* coefficients, T* gradX, T* gradResidual) {
  const PackWalk<kCount> walk(size);
  const auto image = static_cast<int>(blockIdx.y);
  Normalisation<Wide<T>, kCount> normalisation;
  BackwardTerms<Wide<T>, kCount> terms;
  const auto load = [&](std::int64_t pack) {
    const int channel = walk.channelOf(pack, size);
    normalisation.load(gate.affine, image, channel, size);
    terms.load(coefficients, image, channel, size);
  };
  load(walk.first);
  for (std::int64_t pack = walk.first; pack < walk.end; pack += walk.stride) {
    const std::int64_t offset = walk.imageOffset + pack * kCount;
    if (!walk.hasSameChannels) load(pack);
    const GatedGradient<T, kCount> gradient(grad, x, gate, normalisation, offset);
    Pack<T, kCount> ofX, ofResidual;
    for (int k = 0; k < kCount; ++k) {
      ofX.values[k] = static_cast<T>(
          terms.of(gradient.values[k], static_cast<Wide<T>>(gradient.x.values[k]), k));
      ofResidual.values[k] = static_cast<T>(gradient.values[k]);
    }
    *reinterpret_cast<Pack<T, kCount>*>(gradX + offset) = ofX;
    if (gradResidual != nullptr)
      *reinterpret_cast<Pack<T, kCount>*>(gradResidual + offset) = ofResidual;
  }
}

}  // namespace lockstep::ops
