#pragma once

#include <cstdint>
#include <string>

#include "engine/model/layers.h"

namespace lockstep::model {

enum class NormKind { FrozenBatch, Batch, Group };

/// `frozen_batch`, `batch` or `group`, as in configurations. Throws Error for another name.
NormKind normKind(const std::string& name);

struct NormChoice {
  NormKind kind = NormKind::Group;
  double epsilon = 1e-5;
};

/// A normalisation layer under torchvision's names. FrozenBatch: four buffers; Batch: as
/// torch.nn.BatchNorm2d, its statistics follow the batch in train(); Group: 32 groups, or 8 where
/// 32 do not divide the channels.
class Norm : public Layer {
 public:
  Norm(const NormChoice& choice, std::int64_t channels);

  /// norm(conv(x)). A frozen norm is folded into the convolution, so that it costs nothing per
  /// pixel.
  at::Tensor after(const Conv2d& conv, const at::Tensor& x);

 private:
  at::Tensor foldedInto(const Conv2d& conv, const at::Tensor& x) const;
  at::Tensor batch(const at::Tensor& x);

  NormChoice choice_;
  std::int64_t groups_ = 1;
  at::Tensor weight_, bias_;
  at::Tensor runningMean_, runningVar_, batchesTracked_;
};

}  // namespace lockstep::model
