#pragma once

#include <string>
#include <vector>

#include "engine/checkpoint/safetensors.h"

namespace lockstep::checkpoint {

enum class WeightsUse {
  Initial,    ///< training: heads of another size are skipped, a backbone alone is enough
  Exactly,    ///< resume, replay: all keys and shapes must match
  Inference,  ///< evaluate, predict: as Exactly, and finite as for Initial
};

/// The result for each tensor; names as in the model unless noted.
struct LoadedWeights {
  std::vector<std::string> loaded;
  std::vector<std::string> mismatched;  ///< shape in the file and in the model:
                                        ///< `roi_heads.box_predictor.cls_score.weight [91, 1024] in
                                        ///< the file, [2, 1024] in the model`
  std::vector<std::string> missing;  ///< in the model, not in the file: keep their initial values
  std::vector<std::string>
      unexpected;  ///< in the file, not in the model (names in the file, shortened)

  /// One line for the log: `295 tensors loaded, 8 skipped because of a shape mismatch (…), 2
  /// missing (…)`.
  std::string summary() const;
};

/// Copies tensors into a model's parameters and buffers (MaskRcnn::namedState()). The file contains
/// a whole model (torchvision's names), only its backbone (`backbone.body.…`), or a torchvision
/// ResNet (`conv1.weight`, `layer1.…`; `fc.*` is ignored). `name` is the file in messages. Throws
/// UserError for another architecture, for a backbone that does not match, and, for Exactly and
/// Inference, for any mismatch: `weights do not match the model: a.safetensors has 91 classes, the
/// dataset has 2`. Throws Error for non-finite values, except for Exactly.
LoadedWeights loadWeights(const NamedTensors& model, const SafetensorsFile& file, WeightsUse use,
                          const std::string& name);

}  // namespace lockstep::checkpoint
