#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::model {

struct NormChoice;

/// What the feature pyramid is built on: a network that gives maps of an image at several scales.
/// A new one is a row of config::backbones(), a class, and a case of makeBackbone().
class Backbone : public torch::nn::Module {
 public:
  /// A map that it gives.
  struct Level {
    std::int64_t channels;
    std::int64_t stride;  ///< px of the image for each of its own
  };

  /// Finest first, each twice the stride of the one before.
  virtual std::vector<Level> levels() const = 0;
  /// images [N,3,H,W], or [N,4,H,W] with a fourth channel of zeros -> a map of each level.
  virtual std::vector<at::Tensor> forward(const at::Tensor& images) = 0;
  /// Takes the first stages out of training, counted from the image on, as
  /// `model.freeze_stages` does: 0 none, 1 the stem, 2 and the first stage, … 5 all.
  virtual void freezeStages(int count) = 0;
};

/// name: of config::backbones(). Throws Error (mendable) for another.
std::shared_ptr<Backbone> makeBackbone(const std::string& name, const NormChoice& norm);

}  // namespace lockstep::model
