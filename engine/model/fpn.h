#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/backbone.h"
#include "engine/model/layers.h"

namespace lockstep::model {

/// Feature pyramid (Lin et al., 2017) with one more, coarser level for the RPN: every second pixel
/// of the last.
class Fpn : public torch::nn::Module {
 public:
  Fpn(const std::vector<Backbone::Level>& levels, std::int64_t outChannels);

  /// The backbone's maps, finest first -> as many levels of outChannels and one more.
  std::vector<at::Tensor> forward(const std::vector<at::Tensor>& maps) const;

 private:
  std::vector<std::shared_ptr<ConvBlock>> inner_, layer_;
};

}  // namespace lockstep::model
