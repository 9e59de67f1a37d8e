#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/layers.h"

namespace lockstep::model {

/// Feature pyramid (Lin et al., 2017) with a fifth, coarser level for the RPN: every second pixel
/// of the fourth.
class Fpn : public torch::nn::Module {
 public:
  Fpn(const std::array<std::int64_t, 4>& inChannels, std::int64_t outChannels);

  /// Stage outputs, finest first -> five levels of outChannels, at 1/4 … 1/64.
  std::vector<at::Tensor> forward(const std::array<at::Tensor, 4>& stages) const;

 private:
  std::array<std::shared_ptr<ConvBlock>, 4> inner_, layer_;
};

}  // namespace lockstep::model
