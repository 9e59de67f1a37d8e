#include "engine/ops/group_norm.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/ops/channel_sums.h"
#include "engine/ops/group_norm_cuda.h"
#include "engine/ops/recorded_op.h"
#include "engine/ops/vector_clones.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kPart = 512;  // pixels whose sums belong together, whatever the threads

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

/// Some neighbouring pixels of one image.
struct Part {
  std::int64_t image;
  std::int64_t index;   // inside the image
  std::int64_t offset;  // of its first element inside the map
  std::int64_t pixels;
};

template <typename Body>
void forEachPart(const MapSize& size, const Body& body) {
  at::parallel_for(0, size.images * size.parts(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / size.parts(), index = i % size.parts();
      const std::int64_t pixel = image * size.pixels + index * kPart;
      body(Part{image, index, pixel * size.channels, std::min(kPart, size.pixels - index * kPart)});
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

/// addPart(part, first sums, second sums) for all parts, added up in their order.
template <typename AddPart>
ChannelSums sumParts(const MapSize& size, const AddPart& addPart) {
  const std::int64_t width = 2 * size.channels;
  std::vector<double> parts(size.images * size.parts() * width, 0.0);
  forEachPart(size, [&](const Part& part) {
    double* sums = parts.data() + (part.image * size.parts() + part.index) * width;
    addPart(part, sums, sums + size.channels);
  });
  ChannelSums total{size.channels, std::vector<double>(size.images * width, 0.0)};
  for (std::int64_t i = 0; i < size.images * size.parts(); ++i) {
    double* to = total.values.data() + i / size.parts() * width;
    for (std::int64_t c = 0; c < width; ++c) to[c] += parts[i * width + c];
  }
  return total;
}

/// Mean and reciprocal deviation of every group of every image, [N][G].
struct GroupMoments {
  std::vector<double> mean, scale;
};

GroupMoments groupMoments(const float* x, const MapSize& size, double epsilon) {
  const ChannelSums sums = sumParts(size, [&](const Part& part, double* first, double* second) {
    addMoments(x + part.offset, part.pixels, size.channels, first, second);
  });
  GroupMoments moments;
  for (std::int64_t i = 0; i < size.images * size.groups; ++i) {
    const std::int64_t image = i / size.groups, begin = i % size.groups * size.groupWidth();
    double sum = 0, square = 0;
    for (std::int64_t c = begin; c < begin + size.groupWidth(); ++c) {
      sum += sums.first(image)[c];
      square += sums.second(image)[c];
    }
    const double mean = sum / size.groupCount();
    const double variance = std::max(square / size.groupCount() - mean * mean, 0.0);
    moments.mean.push_back(mean);
    moments.scale.push_back(1.0 / std::sqrt(variance + epsilon));
  }
  return moments;
}

/// The normalisation as x * factor + shift, [N][C].
struct Affine {
  std::vector<float> factor, shift;
};

Affine affineOf(const GroupMoments& moments, const at::Tensor& weight, const at::Tensor& bias,
                const MapSize& size) {
  Affine affine;
  for (std::int64_t i = 0; i < size.images * size.channels; ++i) {
    const std::int64_t group = i / size.groupWidth(), channel = i % size.channels;
    const double factor = moments.scale[group] * weight.const_data_ptr<float>()[channel];
    const double shift = bias.const_data_ptr<float>()[channel] - moments.mean[group] * factor;
    affine.factor.push_back(static_cast<float>(factor));
    affine.shift.push_back(static_cast<float>(shift));
  }
  return affine;
}

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

at::Tensor forwardOnCpu(const at::Tensor& x, const at::Tensor& residual, const MapSize& size,
                        const Affine& affine, bool hasRelu) {
  at::Tensor out = at::empty_like(x);
  const float* skip = residual.defined() ? residual.const_data_ptr<float>() : nullptr;
  forEachPart(size, [&](const Part& part) {
    const std::int64_t row = part.image * size.channels;
    applyPart(x.const_data_ptr<float>() + part.offset, skip ? skip + part.offset : nullptr,
              affine.factor.data() + row, affine.shift.data() + row, part.pixels, size.channels,
              hasRelu, out.data_ptr<float>() + part.offset);
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
Coefficients coefficients(const ChannelSums& sums, const GroupMoments& moments, const MapSize& size,
                          const float* weight, at::Tensor& gradWeight, at::Tensor& gradBias) {
  std::vector<double> ofWeight(size.channels, 0.0), ofBias(size.channels, 0.0);
  Coefficients result;
  for (std::int64_t i = 0; i < size.images * size.groups; ++i) {
    const std::int64_t image = i / size.groups, begin = i % size.groups * size.groupWidth();
    const std::int64_t end = begin + size.groupWidth();
    const double mean = moments.mean[i], scale = moments.scale[i];
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
void spreadPart(const float* grad, const ReluMask& mask, const float* x, const CoefficientRow& by,
                std::int64_t pixels, std::int64_t channels, float* gradX, float* gradResidual) {
  for (std::int64_t i = 0; i < pixels * channels; i += channels) {
    const float *slope = grad + i, *value = x + i;
    float* to = gradX + i;
    if (mask.factor != nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const float g = value[c] * mask.factor[c] + mask.shift[c] > 0 ? slope[c] : 0;
        to[c] = g * by.ofGradient[c] + (value[c] * by.ofInput[c] + by.constant[c]);
      }
      continue;
    }
    if (gradResidual != nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) {
        gradResidual[i + c] = mask.output == nullptr || mask.output[i + c] > 0 ? slope[c] : 0;
      }
      slope = gradResidual + i;
    }
    for (std::int64_t c = 0; c < channels; ++c) {
      to[c] = slope[c] * by.ofGradient[c] + (value[c] * by.ofInput[c] + by.constant[c]);
    }
  }
}

/// What the forward pass leaves for the backward one.
struct Saved {
  at::Tensor x, weight;
  at::Tensor
      output;  // only with ReLU and residual; without a residual x says where the ReLU let pass
  GroupMoments moments;
  Affine affine;  // only with ReLU and no residual
  MapSize size;
  bool hasResidual;

  /// For elements from `offset` on of an image.
  ReluMask mask(std::int64_t offset, std::int64_t image) const {
    if (output.defined()) return {output.const_data_ptr<float>() + offset};
    if (affine.factor.empty()) return {};
    const std::int64_t row = image * size.channels;
    return {nullptr, affine.factor.data() + row, affine.shift.data() + row};
  }
};

/// Gradients of x, weight, bias and residual.
variable_list backwardOnCpu(const at::Tensor& grad, const Saved& saved) {
  const MapSize& size = saved.size;
  const float* slopes = grad.const_data_ptr<float>();
  const float* inputs = saved.x.const_data_ptr<float>();
  const ChannelSums sums = sumParts(size, [&](const Part& part, double* first, double* second) {
    addGradientSums(slopes + part.offset, saved.mask(part.offset, part.image), inputs + part.offset,
                    part.pixels, size.channels, first, second);
  });
  at::Tensor gradX = at::empty_like(saved.x), gradResidual;
  at::Tensor gradWeight = at::empty_like(saved.weight), gradBias = at::empty_like(saved.weight);
  const Coefficients by = coefficients(sums, saved.moments, size,
                                       saved.weight.const_data_ptr<float>(), gradWeight, gradBias);
  if (saved.hasResidual) gradResidual = at::empty_like(saved.x);
  float* skip = saved.hasResidual ? gradResidual.data_ptr<float>() : nullptr;
  forEachPart(size, [&](const Part& part) {
    const std::int64_t row = part.image * size.channels;
    spreadPart(slopes + part.offset, saved.mask(part.offset, part.image), inputs + part.offset,
               {by.ofGradient.data() + row, by.ofInput.data() + row, by.constant.data() + row},
               part.pixels, size.channels, gradX.data_ptr<float>() + part.offset,
               skip ? skip + part.offset : nullptr);
  });
  return {gradX, gradWeight, gradBias, gradResidual};
}

std::vector<double> asDoubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

std::vector<float> asFloats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// One group per channel, all images as one: the groups' moments are the batch's.
void follow(const RunningStatistics& running, const GroupMoments& moments, const MapSize& size,
            double epsilon) {
  const double unbiased = size.groupCount() / std::max(size.groupCount() - 1, 1.0);
  const auto step = [&](const at::Tensor& statistic, std::int64_t channel, double value) {
    float& kept = statistic.data_ptr<float>()[channel];
    kept = static_cast<float>((1 - running.momentum) * kept + running.momentum * value);
  };
  for (std::int64_t c = 0; c < size.channels; ++c) {
    const double variance = 1.0 / (moments.scale[c] * moments.scale[c]) - epsilon;
    step(running.mean, c, moments.mean[c]);
    step(running.variance, c, variance * unbiased);
  }
}

class GroupNormFunction : public torch::autograd::Function<GroupNormFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const std::optional<at::Tensor>& residual,
                            const GroupNormOptions& options, const RunningStatistics& running) {
    const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor skip =
        residual ? residual->contiguous(at::MemoryFormat::ChannelsLast) : at::Tensor();
    const MapSize size(input, options.groups);
    const GroupMoments moments = groupMoments(input.const_data_ptr<float>(), size, options.epsilon);
    if (running.mean.defined()) follow(running, moments, size, options.epsilon);
    const Affine affine = affineOf(moments, weight.contiguous(), bias.contiguous(), size);
    const at::Tensor out = forwardOnCpu(input, skip, size, affine, options.hasRelu);
    const bool needsOutput = options.hasRelu && residual,
               needsAffine = options.hasRelu && !residual;
    context->save_for_backward({input, weight, needsOutput ? out : at::Tensor()});
    context->saved_data["mean"] = moments.mean;
    context->saved_data["scale"] = moments.scale;
    context->saved_data["factor"] = needsAffine ? asDoubles(affine.factor) : std::vector<double>();
    context->saved_data["shift"] = needsAffine ? asDoubles(affine.shift) : std::vector<double>();
    context->saved_data["groups"] = options.groups;
    context->saved_data["hasResidual"] = residual.has_value();
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list tensors = context->get_saved_variables();
    const auto doubles = [&](const char* name) {
      return context->saved_data[name].toDoubleVector();
    };
    const Saved saved{tensors[0],
                      tensors[1].contiguous(),
                      tensors[2],
                      {doubles("mean"), doubles("scale")},
                      {asFloats(doubles("factor")), asFloats(doubles("shift"))},
                      MapSize(tensors[0], context->saved_data["groups"].toInt()),
                      context->saved_data["hasResidual"].toBool()};
    variable_list result =
        backwardOnCpu(grads[0].contiguous(at::MemoryFormat::ChannelsLast), saved);
    result.resize(6);  // options and statistics have none
    return result;
  }
};

#ifdef LOCKSTEP_CUDA
class GroupNormCudaFunction : public torch::autograd::Function<GroupNormCudaFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const std::optional<at::Tensor>& residual,
                            const GroupNormOptions& options) {
    LOCKSTEP_RECORD_OP("group_norm");
    const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast),
                     factors = weight.contiguous();
    const at::Tensor skip =
        residual ? residual->contiguous(at::MemoryFormat::ChannelsLast) : at::Tensor();
    const GroupNormResult result = groupNormCuda(input, factors, bias.contiguous(), skip, options);
    const bool keepsOut = options.hasRelu && residual;
    context->save_for_backward(
        {input, factors, result.moments, result.affine, keepsOut ? result.out : at::Tensor()});
    context->saved_data["groups"] = options.groups;
    context->saved_data["hasRelu"] = options.hasRelu;
    context->saved_data["hasResidual"] = residual.has_value();
    return result.out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    LOCKSTEP_RECORD_OP("group_norm_backward");
    const auto tensors = context->get_saved_variables();
    const GroupNormSaved saved{tensors[0],
                               tensors[1],
                               tensors[2],
                               tensors[3],
                               tensors[4],
                               context->saved_data["groups"].toInt(),
                               context->saved_data["hasRelu"].toBool(),
                               context->saved_data["hasResidual"].toBool()};
    variable_list result =
        groupNormBackwardCuda(grads[0].contiguous(at::MemoryFormat::ChannelsLast), saved);
    result.emplace_back();  // options have none
    return result;
  }
};
#endif

bool isForOurKernel(const at::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == at::kFloat && x.numel() > 0 &&
         x.is_contiguous(at::MemoryFormat::ChannelsLast);
}

void checkSizes(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                const std::optional<at::Tensor>& residual, std::int64_t groups) {
  TORCH_CHECK(x.dim() == 4 && groups > 0 && x.size(1) % groups == 0,
              "x must be [N,C,H,W] with C a multiple of ", groups, ", got ", x.sizes());
  TORCH_CHECK(weight.numel() == x.size(1) && bias.numel() == x.size(1), "weight and bias must be [",
              x.size(1), "], got ", weight.sizes(), " and ", bias.sizes());
  TORCH_CHECK(!residual || residual->sizes() == x.sizes(), "residual must be like x");
}

/// The images of a channels_last map below each other as one, and back: [N,C,H,W] as
/// [images,C,…,W].
at::Tensor stacked(const at::Tensor& map, std::int64_t images) {
  const std::int64_t rows = map.size(0) * map.size(2) / images;
  return map.contiguous(at::MemoryFormat::ChannelsLast)
      .permute({0, 2, 3, 1})
      .view({images, rows, map.size(3), map.size(1)})
      .permute({0, 3, 1, 2});
}

bool isHalf(const at::Tensor& x) {
  return x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf;
}

std::optional<at::Tensor> inFloat(const std::optional<at::Tensor>& map) {
  return map ? std::optional(map->to(at::kFloat)) : std::nullopt;
}

at::Tensor withResidual(at::Tensor out, const std::optional<at::Tensor>& residual, bool hasRelu) {
  if (residual) out += *residual;
  return hasRelu ? out.relu_() : out;
}

}  // namespace

at::Tensor groupNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const std::optional<at::Tensor>& residual, const GroupNormOptions& options) {
  checkSizes(x, weight, bias, residual, options.groups);
#ifdef LOCKSTEP_CUDA
  if (x.is_cuda() && x.numel() > 0 && canGroupNormCuda(x.size(1), options.groups))
    return GroupNormCudaFunction::apply(x, weight, bias, residual, options);
#endif
  if (isHalf(x)) {
    return groupNorm(x.to(at::kFloat), weight, bias, inFloat(residual), options)
        .to(x.scalar_type());
  }
  if (isForOurKernel(x))
    return GroupNormFunction::apply(x, weight, bias, residual, options, RunningStatistics());
  return withResidual(at::group_norm(x, options.groups, weight, bias, options.epsilon), residual,
                      options.hasRelu);
}

at::Tensor batchNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const std::optional<at::Tensor>& residual, const RunningStatistics& running,
                     const BatchNormOptions& options) {
  checkSizes(x, weight, bias, residual, /*groups=*/1);
  if (isHalf(x) && x.is_cpu()) {
    return batchNorm(x.to(at::kFloat), weight, bias, inFloat(residual), running, options)
        .to(x.scalar_type());
  }
  if (isForOurKernel(x)) {
    const auto skip = residual ? std::optional(stacked(*residual, 1)) : std::nullopt;
    const GroupNormOptions perChannel{x.size(1), options.epsilon, options.hasRelu};
    return stacked(GroupNormFunction::apply(stacked(x, 1), weight, bias, skip, perChannel, running),
                   x.size(0));
  }
  return withResidual(
      at::batch_norm(x, weight, bias, running.mean, running.variance, /*training=*/true,
                     running.momentum, options.epsilon, /*cudnn_enabled=*/true),
      residual, options.hasRelu);
}

}  // namespace lockstep::ops
