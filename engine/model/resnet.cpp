#include "engine/model/resnet.h"

#include <torch/types.h>

#include "engine/ops/max_pool.h"
#include "engine/ops/resize_images.h"
#include "engine/structures/image_row.h"

namespace lockstep::model {
namespace {

template <typename Conv = Conv2d>
std::shared_ptr<Conv> makeConv(std::int64_t in, std::int64_t out, std::int64_t kernel,
                               std::int64_t stride) {
  const Conv2dOptions options{in, out, kernel, stride, /*hasBias=*/false};
  return std::make_shared<Conv>(options, Conv2dInit::kaimingNormal(options));
}

/// The first convolution. If images have a fourth channel of zeros, its weight is padded to four
/// channels for the product; the parameter and its gradient have three.
class Stem : public Conv2d {
 public:
  using Conv2d::Conv2d;
  at::Tensor forwardWith(const at::Tensor& x, const at::Tensor& weight,
                         const ops::Epilogue& epilogue) const override {
    return Conv2d::forwardWith(
        x, x.size(1) == structures::kPaddedChannels ? ops::withFourChannels(weight) : weight,
        epilogue);
  }
};

struct BlockShape {
  std::int64_t in, width, stride;
  bool isBottleneck;
  std::int64_t out() const { return isBottleneck ? 4 * width : width; }
};

}  // namespace

/// A residual block: two 3 x 3 convolutions (BasicBlock), or 1 x 1, 3 x 3, 1 x 1 (Bottleneck).
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(const BlockShape& shape, const NormChoice& norm) {
    const auto [in, width, stride, isBottleneck] = shape;
    if (isBottleneck) {
      addConv(makeConv(in, width, 1, 1), norm, width);
      addConv(makeConv(width, width, 3, stride), norm, width);
      addConv(makeConv(width, shape.out(), 1, 1), norm, shape.out());
    } else {
      addConv(makeConv(in, width, 3, stride), norm, width);
      addConv(makeConv(width, width, 3, 1), norm, width);
    }
    if (stride == 1 && in == shape.out()) return;
    const auto group = register_module("downsample", std::make_shared<ModuleList>());
    shortcut_ = group->append(makeConv(in, shape.out(), 1, stride));
    shortcutNorm_ = group->append(std::make_shared<Norm>(norm, shape.out()));
  }

  at::Tensor forward(const at::Tensor& x) {
    const std::size_t last = convs_.size() - 1;
    at::Tensor out = x;
    for (std::size_t i = 0; i < last; ++i)
      out = norms_[i]->forwardAfter(*convs_[i], out, /*hasRelu=*/true);
    const at::Tensor residual = shortcut_ ? shortcutNorm_->forwardAfter(*shortcut_, x, false) : x;
    return norms_[last]->forwardAfter(*convs_[last], out, /*hasRelu=*/true, residual);
  }

 private:
  void addConv(std::shared_ptr<Conv2d> conv, const NormChoice& norm, std::int64_t channels) {
    const std::string number = std::to_string(convs_.size() + 1);
    convs_.push_back(register_module("conv" + number, std::move(conv)));
    norms_.push_back(register_module("bn" + number, std::make_shared<Norm>(norm, channels)));
  }

  std::vector<std::shared_ptr<Conv2d>> convs_;
  std::vector<std::shared_ptr<Norm>> norms_;
  std::shared_ptr<Conv2d> shortcut_;
  std::shared_ptr<Norm> shortcutNorm_;
};

ResNet::ResNet(const config::Backbone& architecture, const NormChoice& norm) {
  const bool hasBottlenecks = architecture.block == config::BlockKind::Bottleneck;
  std::int64_t in = architecture.width(0);
  stem_ = register_module("conv1", makeConv<Stem>(3, in, 7, 2));
  stemNorm_ = register_module("bn1", std::make_shared<Norm>(norm, in));
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const auto group =
        register_module("layer" + std::to_string(stage + 1), std::make_shared<ModuleList>());
    for (int i = 0; i < architecture.blocks[stage]; ++i) {
      const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      const BlockShape shape{in, architecture.width(stage), stride, hasBottlenecks};
      stages_[stage].push_back(group->append(std::make_shared<ResidualBlock>(shape, norm)));
      in = shape.out();
    }
    levels_.push_back({in, config::kPyramidStrides[stage]});
  }
}

std::vector<at::Tensor> ResNet::forward(const at::Tensor& images) {
  at::Tensor x = ops::maxPool3x3(stemNorm_->forwardAfter(*stem_, images, /*hasRelu=*/true));
  std::vector<at::Tensor> outputs;
  for (const auto& stage : stages_) {
    for (const auto& block : stage) x = block->forward(x);
    outputs.push_back(x);
  }
  return outputs;
}

void ResNet::freezeStages(int count) {
  const auto freeze = [](torch::nn::Module& part) {
    for (at::Tensor& parameter : part.parameters()) parameter.set_requires_grad(false);
  };
  if (count >= 1) {
    freeze(*stem_);
    freeze(*stemNorm_);
  }
  for (int stage = 0; stage < count - 1; ++stage) {
    for (const auto& block : stages_[stage]) freeze(*block);
  }
}

}  // namespace lockstep::model
