#include "engine/model/layers.h"

#include <torch/types.h>

#include <cmath>

namespace lockstep::model {

Conv2dStart Conv2dStart::kaimingFanOut(const Conv2dShape& shape) {
  const auto fan = static_cast<double>(shape.out * shape.kernel * shape.kernel);
  return {Initialiser::normal(std::sqrt(2.0 / fan))};
}

Conv2dStart Conv2dStart::kaimingUniform(const Conv2dShape& shape) {
  const auto fan = static_cast<double>(shape.in * shape.kernel * shape.kernel);
  return {Initialiser::uniform(std::sqrt(3.0 / fan))};
}

Conv2d::Conv2d(const Conv2dShape& shape, const Conv2dStart& start)
    : stride_(shape.stride), padding_(shape.kernel / 2) {
  weight_ = addParameter("weight", {shape.out, shape.in, shape.kernel, shape.kernel}, start.weight);
  if (shape.hasBias) bias_ = addParameter("bias", {shape.out}, start.bias);
}

at::Tensor Conv2d::forward(const at::Tensor& x) const { return forwardWith(x, weight_, bias_); }

at::Tensor Conv2d::forwardWith(const at::Tensor& x, const at::Tensor& weight,
                               const at::Tensor& bias) const {
  return at::conv2d(x, weight, bias, {stride_, stride_}, {padding_, padding_});
}

UpConv2d::UpConv2d(std::int64_t in, std::int64_t out) {
  // PyTorch counts the fans of a transposed weight [in,out,2,2] as if it were [out,in,2,2].
  weight_ = addParameter("weight", {in, out, 2, 2},
                         Initialiser::normal(std::sqrt(2.0 / static_cast<double>(in * 4))));
  bias_ = addParameter("bias", {out},
                       Initialiser::uniform(1.0 / std::sqrt(static_cast<double>(out * 4))));
}

at::Tensor UpConv2d::forward(const at::Tensor& x) const {
  return at::conv_transpose2d(x, weight_, bias_, {2, 2});
}

Linear::Linear(std::int64_t in, std::int64_t out) {
  const auto bound = Initialiser::uniform(1.0 / std::sqrt(static_cast<double>(in)));
  weight_ = addParameter("weight", {out, in}, bound);
  bias_ = addParameter("bias", {out}, bound);
}

at::Tensor Linear::forward(const at::Tensor& x) const { return at::linear(x, weight_, bias_); }

}  // namespace lockstep::model
