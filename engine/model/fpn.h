#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/backbone.h"
#include "engine/model/layers.h"

namespace lockstep::model {

/// Feature pyramid network (Lin et al., 2017) with torchvision's LastLevelMaxPool: one coarser
/// level for the RPN, every second pixel of the last.
class Fpn : public torch::nn::Module {
 public:
  Fpn(const std::vector<Backbone::Level>& levels, std::int64_t outChannels);

  /// The backbone's feature maps, finest first -> as many levels with outChannels channels, and one
  /// more.
  std::vector<at::Tensor> forward(const std::vector<at::Tensor>& maps) const;

 private:
  std::vector<std::shared_ptr<ConvBlock>> inner_, layer_;
};

}  // namespace lockstep::model
