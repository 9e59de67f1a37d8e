#pragma once

#include <string>
#include <vector>

#include "engine/checkpoint/safetensors.h"

namespace lockstep::checkpoint {

enum class WeightsUse {
  Start,  ///< training starts from them: heads of another size are left out, a backbone alone will
          ///< do
  Exactly,    ///< resume, replay: every tensor must be there and fit
  Inference,  ///< evaluate, predict: exactly, and finite as those of Start have to be
};

/// What became of the tensors, all names as in the model unless it says otherwise.
struct LoadedWeights {
  std::vector<std::string> loaded;
  std::vector<std::string>
      leftOut;  ///< in the file, but of another size: `roi_heads.box_predictor.cls_score.weight
                ///< [91, 1024] is not [2, 1024]`
  std::vector<std::string> missing;  ///< in the model, not in the file: keep their start values
  std::vector<std::string> unused;   ///< in the file, not in the model (its names, shortened)

  /// One line for the log: `295 tensors loaded, 8 left out (…), 2 missing (…)`.
  std::string summary() const;
};

/// Copies tensors into a model's parameters and buffers (MaskRcnn::namedState()). The file holds a
/// whole model (torchvision's names), a backbone of one (`backbone.body.…`), or a torchvision
/// ResNet (`conv1.weight`, `layer1.…`, `fc.*` unused). `name` stands for the file in messages.
/// Throws Error, mendable, when it is of another layout, when the backbone does not fit, or, for
/// Exactly, when anything does not: `weights of another model: a.safetensors has 91 classes, the
/// data set has 2`. Throws Error for a Start from numbers that are not finite.
LoadedWeights loadWeights(const NamedTensors& model, const SafetensorsFile& file, WeightsUse use,
                          const std::string& name);

}  // namespace lockstep::checkpoint
