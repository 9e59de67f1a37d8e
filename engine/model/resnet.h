#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/config/backbones.h"
#include "engine/model/backbone.h"
#include "engine/model/norm.h"

namespace lockstep::model {

class ResidualBlock;

/// ResNet without its classifier (stride on the 3 x 3 convolution of a bottleneck, as in
/// torchvision): the outputs of its four stages, with strides 4, 8, 16 and 32.
class ResNet : public Backbone {
 public:
  ResNet(const config::Backbone& architecture, const NormChoice& norm);

  std::vector<Level> levels() const override { return levels_; }
  std::vector<at::Tensor> forward(const at::Tensor& images) override;
  void freezeStages(int count) override;

 private:
  std::shared_ptr<Conv2d> stem_;
  std::shared_ptr<Norm> stemNorm_;
  std::array<std::vector<std::shared_ptr<ResidualBlock>>, 4> stages_;
  std::vector<Level> levels_;
};

}  // namespace lockstep::model
