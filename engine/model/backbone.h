#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::model {

struct NormChoice;

/// The network that gives the FPN its multi-scale feature maps. To add one: a row in
/// config::backbones(), a class, and a case in makeBackbone().
class Backbone : public torch::nn::Module {
 public:
  /// One of its feature maps.
  struct Level {
    std::int64_t channels;
    std::int64_t stride;  ///< image px per feature map pixel
  };

  /// Finest first; each has twice the stride of the one before.
  virtual std::vector<Level> levels() const = 0;
  /// images [N,3,H,W], or [N,4,H,W] with a fourth channel of zeros -> a feature map per level.
  virtual std::vector<at::Tensor> forward(const at::Tensor& images) = 0;
  /// Freezes the first stages, as `model.freeze_stages`: 0 none, 1 the stem, 2 the stem and the
  /// first stage, … 5 all.
  virtual void freezeStages(int count) = 0;
};

/// name: one of config::backbones(). Throws UserError for an unknown name.
std::shared_ptr<Backbone> makeBackbone(const std::string& name, const NormChoice& norm);

}  // namespace lockstep::model
