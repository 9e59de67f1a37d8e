#pragma once

#include <array>
#include <cstddef>
#include <string_view>

/// The losses of Mask R-CNN: one table for the model, the event log, evaluations, the experiment
/// file and the app's cards.
namespace lockstep::config {

enum class Loss { Classifier, BoxReg, Mask, Objectness, RpnBoxReg };

struct LossFacts {
  /// torchvision's name: the key in solver.loss_weights, the member in evaluations, and the tag
  /// after `train/` and `eval/`.
  const char* name;
  const char* title;       ///< title of its card on the Monitor page, beside a legend: short
  int card;                ///< position of that card among those of the losses
  const char* weightHelp;  ///< help of its key in solver.loss_weights
};

/// In the order of Loss; arrays of loss values everywhere have this order.
inline constexpr std::array kLosses{
    LossFacts{"loss_classifier", "Class", 2,
              "Weight of the box head's classification loss (cross entropy)."},
    LossFacts{"loss_box_reg", "Box", 1, "Weight of the box head's regression loss (smooth L1)."},
    LossFacts{"loss_mask", "Mask", 0, "Weight of the mask head's loss (binary cross entropy)."},
    LossFacts{"loss_objectness", "Objectness", 3,
              "Weight of the RPN's objectness loss (binary cross entropy)."},
    LossFacts{"loss_rpn_box_reg", "RPN box", 4, "Weight of the RPN's regression loss (smooth L1)."},
};
inline constexpr std::size_t kLossCount = kLosses.size();

constexpr std::size_t indexOf(Loss loss) { return static_cast<std::size_t>(loss); }

/// Name of the weighted sum of the losses.
inline constexpr const char* kTotalLoss = "loss_total";

/// Names of the losses, then that of their weighted sum.
inline constexpr auto kLossNames = [] {
  std::array<const char*, kLossCount + 1> names{};
  for (std::size_t i = 0; i < kLossCount; ++i) names[i] = kLosses[i].name;
  names.back() = kTotalLoss;
  return names;
}();

/// Whether a metric is a loss: evaluated with the held-out loss, and better when lower. All others
/// are evaluated with AP.
constexpr bool isLoss(std::string_view metric) { return metric.starts_with("loss_"); }

/// Factors on the losses in their sum (solver.loss_weights).
struct LossWeights {
  std::array<double, kLossCount> values = [] {
    std::array<double, kLossCount> ones{};
    ones.fill(1);
    return ones;
  }();
};

}  // namespace lockstep::config
