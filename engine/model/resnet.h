#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/norm.h"

namespace lockstep::model {

class ResidualBlock;

/// ResNet (stride on the 3 x 3 convolution of a bottleneck, as torchvision) without its classifier.
class ResNet : public torch::nn::Module {
 public:
  /// name: of config::backbones(). Throws Error for another.
  ResNet(const std::string& name, const NormChoice& norm);

  /// images [N,3,H,W], or [N,4,H,W] with a fourth channel of zeros -> the outputs of the four
  /// stages, at 1/4, 1/8, 1/16 and 1/32 of H and W.
  std::array<at::Tensor, 4> forward(const at::Tensor& images);
  /// Channels of these outputs.
  std::array<std::int64_t, 4> channels() const { return channels_; }

  /// Takes the first stages out of training: 0 none, 1 the stem, 2 and the first stage, … 5 all.
  void freezeStages(int count);

 private:
  std::shared_ptr<Conv2d> stem_;
  std::shared_ptr<Norm> stemNorm_;
  std::array<std::vector<std::shared_ptr<ResidualBlock>>, 4> stages_;
  std::array<std::int64_t, 4> channels_{};
};

}  // namespace lockstep::model
