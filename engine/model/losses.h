#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/config/losses.h"
#include "engine/model/detector_counts.h"

namespace lockstep::model {

/// The losses of Mask R-CNN, float32 scalars on the model's device, attached to the autograd graph.
/// Each part of the model sets its own and leaves the others undefined.
struct Losses {
  std::array<at::Tensor, config::kLossCount> values;  ///< in the order of config::Loss
  DetectorCounts counts;

  at::Tensor& operator[](config::Loss loss) { return values[config::indexOf(loss)]; }
  const at::Tensor& operator[](config::Loss loss) const { return values[config::indexOf(loss)]; }
  /// Merges the losses and counts of another part of the model.
  void take(const Losses& others);
  /// Weighted sum.
  at::Tensor total(const config::LossWeights& weights) const;
  /// The losses with the names of config::kLosses.
  std::array<std::pair<std::string_view, at::Tensor>, config::kLossCount> named() const;
};

/// Unweighted losses of the positive RoIs of a batch, without a gradient: a row for each RoI of a
/// head, of which some may be background or padding. K RoIs of the box head, M of the mask head.
struct RoiLosses {
  /// [K,5] float32: class (0 for background and padding), area of the object in px of the original
  /// image, image of the batch, loss_classifier, loss_box_reg summed over the four deltas
  at::Tensor box;
  at::Tensor mask;  ///< [M,4] float32: class, area and image likewise, mean loss_mask of the pixels
};

/// Casts network outputs for losses and scores: to float32, unless they are float64.
at::Tensor upcast(const at::Tensor& values);

/// Losses over K rows with weights 0 or 1, [K] float32. If all weights are 0, the loss is 0 and
/// still attached to the autograd graph.

/// Smooth L1 (beta 1/9) of deltas and targets [K,4], summed and divided by max(normaliser, 1): []
/// float32.
at::Tensor boxRegressionLoss(const at::Tensor& deltas, const at::Tensor& targets,
                             const at::Tensor& weights, const at::Tensor& normaliser);

/// Mean binary cross entropy of logits [K,...] with targets in 0 … 1.
at::Tensor binaryLoss(const at::Tensor& logits, const at::Tensor& targets,
                      const at::Tensor& weights);

/// Mean cross entropy of logits [K,C] with labels [K] int64.
/// classWeights [C] float32: factors of the classes; undefined: none. They do not change the
/// divisor.
at::Tensor classLoss(const at::Tensor& logits, const at::Tensor& labels, const at::Tensor& weights,
                     const at::Tensor& classWeights = {});

/// The same for each row alone, unweighted and not reduced over the rows: [K] float32, and [K,...]
/// of binaryLosses().
at::Tensor boxRegressionLosses(const at::Tensor& deltas, const at::Tensor& targets);
at::Tensor binaryLosses(const at::Tensor& logits, const at::Tensor& targets);
at::Tensor classLosses(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace lockstep::model
