#include "engine/ops/group_norm.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "engine/ops/cpu/channel_sums.h"
#include "engine/ops/cpu/float_runs.h"
#include "engine/ops/cpu/vector_clones.h"
#include "engine/ops/spare_threads.h"

namespace lockstep::ops {
namespace {

constexpr std::int64_t kPart = 512;  // pixels whose sums belong together, whatever the threads
/// Pixels of halves that become float32 at once; sums are the same with any multiple of
/// channel_sums' own runs.
constexpr std::int64_t kHalfRun = 64;

/// Sizes of a channels_last map that is normalised in groups.
struct MapSize {
  std::int64_t images, channels, pixels, groups;

  MapSize(const at::Tensor& map, std::int64_t groupCount)
      : images(map.size(0)),
        channels(map.size(1)),
        pixels(map.size(2) * map.size(3)),
        groups(groupCount) {}
  std::int64_t parts() const { return (pixels + kPart - 1) / kPart; }
  std::int64_t groupWidth() const { return channels / groups; }
  double groupCount() const { return static_cast<double>(groupWidth() * pixels); }
};

/// Some neighbouring pixels of one image, all of a part or a run of it.
struct Part {
  std::int64_t image;
  std::int64_t index;   // inside the image
  std::int64_t offset;  // of its first element inside the map
  std::int64_t pixels, elements;
};

/// body(part, room) for all pixels, parts of one image side by side. `room` is a thread's own.
template <typename Body>
void forEachPart(const MapSize& size, bool isHalf, const Body& body) {
  const std::int64_t run = isHalf ? kHalfRun : kPart;
  const cpu::OnSpareThreads threads;
  at::parallel_for(0, size.images * size.parts(), 1, [&](std::int64_t begin, std::int64_t end) {
    FloatRoom room(isHalf ? run * size.channels : 0);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / size.parts(), index = i % size.parts();
      const std::int64_t first = index * kPart, last = std::min(first + kPart, size.pixels);
      for (std::int64_t pixel = first; pixel < last; pixel += run) {
        const std::int64_t pixels = std::min(run, last - pixel);
        body(Part{image, index, (image * size.pixels + pixel) * size.channels, pixels,
                  pixels * size.channels},
             room);
      }
    }
  });
}

/// Two sums of every channel of every image, [N][2][C].
struct ChannelSums {
  std::int64_t channels;
  std::vector<double> values;

  const double* first(std::int64_t image) const { return values.data() + image * 2 * channels; }
  const double* second(std::int64_t image) const { return first(image) + channels; }
};

/// addPart(part, room, first sums, second sums) for all parts, added up in their order.
template <typename AddPart>
ChannelSums sumParts(const MapSize& size, bool isHalf, const AddPart& addPart) {
  const std::int64_t width = 2 * size.channels;
  std::vector<double> parts(size.images * size.parts() * width, 0.0);
  forEachPart(size, isHalf, [&](const Part& part, FloatRoom& room) {
    double* sums = parts.data() + (part.image * size.parts() + part.index) * width;
    addPart(part, room, sums, sums + size.channels);
  });
  ChannelSums total{size.channels, std::vector<double>(size.images * width, 0.0)};
  for (std::int64_t i = 0; i < size.images * size.parts(); ++i) {
    double* to = total.values.data() + i / size.parts() * width;
    for (std::int64_t c = 0; c < width; ++c) to[c] += parts[i * width + c];
  }
  return total;
}

/// [N,G,2] float64
at::Tensor groupMoments(const at::Tensor& x, const MapSize& size, double epsilon) {
  const FloatReader values(x);
  const auto addPart = [&](const Part& part, FloatRoom& room, double* first, double* second) {
    addMoments(values.read(part.offset, part.elements, room.of(0)), part.pixels, size.channels,
               first, second);
  };
  const ChannelSums sums = sumParts(size, values.isHalf(), addPart);
  at::Tensor moments = at::empty({size.images, size.groups, 2}, at::kDouble);
  auto* moment = moments.data_ptr<double>();
  for (std::int64_t i = 0; i < size.images * size.groups; ++i, moment += 2) {
    const std::int64_t image = i / size.groups, begin = i % size.groups * size.groupWidth();
    double sum = 0, square = 0;
    for (std::int64_t c = begin; c < begin + size.groupWidth(); ++c) {
      sum += sums.first(image)[c];
      square += sums.second(image)[c];
    }
    const double mean = sum / size.groupCount();
    const double variance = std::max(square / size.groupCount() - mean * mean, 0.0);
    moment[0] = mean;
    moment[1] = 1.0 / std::sqrt(variance + epsilon);
  }
  return moments;
}

/// [N,2,C] float32
at::Tensor affineOf(const at::Tensor& moments, const at::Tensor& weight, const at::Tensor& bias,
                    const MapSize& size) {
  at::Tensor affine = at::empty({size.images, 2, size.channels}, at::kFloat);
  for (std::int64_t i = 0; i < size.images * size.channels; ++i) {
    const std::int64_t image = i / size.channels, channel = i % size.channels;
    const double* moment = moments.const_data_ptr<double>() + 2 * (i / size.groupWidth());
    const double factor = moment[1] * weight.const_data_ptr<float>()[channel];
    float* place = affine.data_ptr<float>() + 2 * image * size.channels + channel;
    place[0] = static_cast<float>(factor);
    place[size.channels] =
        static_cast<float>(bias.const_data_ptr<float>()[channel] - moment[0] * factor);
  }
  return affine;
}

/// Pointers into [C] of one image's affine.
struct AffineRow {
  const float *factor, *shift;

  AffineRow(const at::Tensor& affine, std::int64_t image)
      : factor(affine.const_data_ptr<float>() + image * affine.stride(0)),
        shift(factor + affine.stride(1)) {}
};

/// out = x * factor + shift (+ residual), and ReLU. Plain pointers, which the compiler can
/// vectorise.
LOCKSTEP_VECTOR_CLONES
void applyPart(const float* x, const float* residual, const float* factor, const float* shift,
               std::int64_t pixels, std::int64_t channels, bool hasRelu, float* out) {
  for (std::int64_t p = 0; p < pixels; ++p, x += channels, out += channels) {
    for (std::int64_t c = 0; c < channels; ++c) out[c] = x[c] * factor[c] + shift[c];
    if (residual != nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) out[c] += residual[c];
      residual += channels;
    }
    if (hasRelu) {
      // Written so that NaN stays NaN.
      for (std::int64_t c = 0; c < channels; ++c) out[c] = out[c] <= 0 ? 0 : out[c];
    }
  }
}

at::Tensor normalise(const at::Tensor& x, const at::Tensor& residual, const MapSize& size,
                     const at::Tensor& affine, bool hasRelu) {
  at::Tensor out = at::empty_like(x);
  const FloatReader values(x), skips(residual);
  const FloatWriter results(out);
  forEachPart(size, values.isHalf(), [&](const Part& part, FloatRoom& room) {
    const AffineRow by(affine, part.image);
    float* to = results.begin(part.offset, room.of(2));
    applyPart(values.read(part.offset, part.elements, room.of(0)),
              skips.read(part.offset, part.elements, room.of(1)), by.factor, by.shift, part.pixels,
              size.channels, hasRelu, to);
    results.end(part.offset, part.elements, to);
  });
  return out;
}

/// gradX = g * ofGradient + x * ofInput + constant, [N][C], where g is the gradient behind the
/// ReLU.
struct Coefficients {
  std::vector<float> ofGradient, ofInput, constant;
};

/// Also fills the gradients of weight and bias [C]. Mean and deviation depend on every x of the
/// group: hence the two terms beside g's own.
Coefficients coefficients(const ChannelSums& sums, const at::Tensor& moments, const MapSize& size,
                          const float* weight, at::Tensor& gradWeight, at::Tensor& gradBias) {
  std::vector<double> ofWeight(size.channels, 0.0), ofBias(size.channels, 0.0);
  Coefficients result;
  const auto* moment = moments.const_data_ptr<double>();
  for (std::int64_t i = 0; i < size.images * size.groups; ++i, moment += 2) {
    const std::int64_t image = i / size.groups, begin = i % size.groups * size.groupWidth();
    const std::int64_t end = begin + size.groupWidth();
    const double mean = moment[0], scale = moment[1];
    double gradSum = 0, productSum = 0;
    for (std::int64_t c = begin; c < end; ++c) {
      const double grad = sums.first(image)[c], product = sums.second(image)[c];
      ofBias[c] += grad;
      ofWeight[c] += (product - mean * grad) * scale;
      gradSum += grad * weight[c];
      productSum += product * weight[c];
    }
    const double ofInput =
        (gradSum * mean - productSum) * scale * scale * scale / size.groupCount();
    const double constant = -ofInput * mean - gradSum * scale / size.groupCount();
    for (std::int64_t c = begin; c < end; ++c) {
      result.ofGradient.push_back(static_cast<float>(scale * weight[c]));
      result.ofInput.push_back(static_cast<float>(ofInput));
      result.constant.push_back(static_cast<float>(constant));
    }
  }
  std::copy(ofWeight.begin(), ofWeight.end(), gradWeight.data_ptr<float>());
  std::copy(ofBias.begin(), ofBias.end(), gradBias.data_ptr<float>());
  return result;
}

/// Pointers into [C] of one image's coefficients.
struct CoefficientRow {
  const float *ofGradient, *ofInput, *constant;
};

/// gradX, and gradResidual (may be null), which is g. Plain pointers, as above.
LOCKSTEP_VECTOR_CLONES
void backwardPart(const float* grad, const ReluMask& mask, const float* x, const CoefficientRow& by,
                  std::int64_t pixels, std::int64_t channels, float* gradX, float* gradResidual) {
  for (std::int64_t i = 0; i < pixels * channels; i += channels) {
    const float *gradient = grad + i, *value = x + i;
    float* to = gradX + i;
    if (mask.factor != nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const float g = value[c] * mask.factor[c] + mask.shift[c] > 0 ? gradient[c] : 0;
        to[c] = g * by.ofGradient[c] + (value[c] * by.ofInput[c] + by.constant[c]);
      }
      continue;
    }
    if (gradResidual != nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) {
        gradResidual[i + c] = mask.output == nullptr || mask.output[i + c] > 0 ? gradient[c] : 0;
      }
      gradient = gradResidual + i;
    }
    for (std::int64_t c = 0; c < channels; ++c) {
      to[c] = gradient[c] * by.ofGradient[c] + (value[c] * by.ofInput[c] + by.constant[c]);
    }
  }
}

/// Where the gradient passes the ReLU in a part, if there is one.
class GatedPart {
 public:
  explicit GatedPart(const GroupNormSaved& saved) : output_(saved.out), saved_(saved) {}

  ReluMask mask(const Part& part, float* space) const {
    if (saved_.out.defined()) return {output_.read(part.offset, part.elements, space)};
    if (!saved_.hasRelu) return {};
    const AffineRow affine(saved_.affine, part.image);
    return {nullptr, affine.factor, affine.shift};
  }

 private:
  FloatReader output_;
  const GroupNormSaved& saved_;
};

}  // namespace

GroupNormResult cpu::groupNorm(const at::Tensor& x, const at::Tensor& weight,
                               const at::Tensor& bias, const at::Tensor& residual,
                               const GroupNormOptions& options) {
  const MapSize size(x, options.groups);
  const at::Tensor moments = groupMoments(x, size, options.epsilon);
  const at::Tensor affine = affineOf(moments, weight, bias, size);
  return {normalise(x, residual, size, affine, options.hasRelu), moments, affine};
}

std::vector<at::Tensor> cpu::groupNormBackward(const at::Tensor& grad,
                                               const GroupNormSaved& saved) {
  const MapSize size(saved.x, saved.groups);
  const FloatReader gradients(grad), inputs(saved.x);
  const GatedPart gate(saved);
  const auto addPart = [&](const Part& part, FloatRoom& room, double* first, double* second) {
    addGradientSums(gradients.read(part.offset, part.elements, room.of(0)),
                    gate.mask(part, room.of(2)),
                    inputs.read(part.offset, part.elements, room.of(1)), part.pixels, size.channels,
                    first, second);
  };
  const ChannelSums sums = sumParts(size, inputs.isHalf(), addPart);
  at::Tensor gradX = at::empty_like(saved.x), gradResidual;
  at::Tensor gradWeight = at::empty_like(saved.weight), gradBias = at::empty_like(saved.weight);
  const Coefficients by = coefficients(sums, saved.moments, size,
                                       saved.weight.const_data_ptr<float>(), gradWeight, gradBias);
  if (saved.hasResidual) gradResidual = at::empty_like(saved.x);
  const FloatWriter results(gradX), skips(gradResidual);
  forEachPart(size, inputs.isHalf(), [&](const Part& part, FloatRoom& room) {
    const std::int64_t row = part.image * size.channels;
    float *to = results.begin(part.offset, room.of(3)),
          *skip = skips.begin(part.offset, room.of(4));
    backwardPart(gradients.read(part.offset, part.elements, room.of(0)),
                 gate.mask(part, room.of(2)), inputs.read(part.offset, part.elements, room.of(1)),
                 {by.ofGradient.data() + row, by.ofInput.data() + row, by.constant.data() + row},
                 part.pixels, size.channels, to, skip);
    results.end(part.offset, part.elements, to);
    skips.end(part.offset, part.elements, skip);
  });
  return {gradX, gradWeight, gradBias, gradResidual};
}

}  // namespace lockstep::ops
