#pragma once

#include <cstdint>
#include <optional>

#include "engine/config/choices.h"
#include "engine/model/layers.h"
#include "engine/model/tensor_cache.h"
#include "engine/ops/sync_batch_norm.h"

namespace lockstep::model {

struct NormChoice {
  config::Norm kind = config::Norm::Group;
  double epsilon = 1e-5;
  ops::SumOverRanks sumOverRanks{};  ///< of SyncBatch
};

/// A normalisation layer with torchvision's names. FrozenBatch: FrozenBatchNorm2d, four buffers;
/// Batch: torch.nn.BatchNorm2d; SyncBatch: the same with statistics over all ranks; Group:
/// GroupNorm with 32 groups, which divide every width of a ResNet.
class Norm : public Layer {
 public:
  Norm(const NormChoice& choice, std::int64_t channels);

  /// norm(conv(x)), plus an optional `residual` and ReLU. A batch norm that is frozen or in eval()
  /// is folded into the convolution, so that it costs nothing per pixel.
  at::Tensor forwardAfter(const Conv2d& conv, const at::Tensor& x, bool hasRelu,
                          const std::optional<at::Tensor>& residual = std::nullopt);

 private:
  at::Tensor outputAfter(const Conv2d& conv, const at::Tensor& x, bool hasRelu,
                         const std::optional<at::Tensor>& residual);
  struct AfterNorm {
    std::optional<at::Tensor> residual;
    bool hasRelu = false;
  };
  at::Tensor foldedInto(const Conv2d& conv, const at::Tensor& x, const AfterNorm& after);
  bool hasBatchStatistics() const { return config::hasBatchStatistics(choice_.kind); }

  NormChoice choice_;
  at::Tensor weight_, bias_;
  at::Tensor runningMean_, runningVar_, batchesTracked_;
  TensorCache affine_;  ///< of a norm that is folded into its convolution
};

}  // namespace lockstep::model
