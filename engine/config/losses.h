#pragma once

#include <array>
#include <cstddef>
#include <string_view>

/// The losses of Mask R-CNN: one list that the model, the step's record, evaluations, the
/// experiment file and the app's cards go by.
namespace lockstep::config {

enum class Loss { Classifier, BoxReg, Mask, Objectness, RpnBoxReg };

struct LossFacts {
  /// torchvision's name: the key in solver.loss_weights, the member of evaluations, and a tag
  /// behind `train/` and `eval/`.
  const char* name;
  const char* title;       ///< of its card
  int card;                ///< place of its card among those of the losses
  const char* weightHelp;  ///< of its key in solver.loss_weights
};

/// In the order of Loss, which is that of their values everywhere.
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

/// Name of their weighted sum.
inline constexpr const char* kTotalLoss = "loss_total";

/// The losses' names, and behind them that of their weighted sum.
inline constexpr auto kLossNames = [] {
  std::array<const char*, kLossCount + 1> names{};
  for (std::size_t i = 0; i < kLossCount; ++i) names[i] = kLosses[i].name;
  names.back() = kTotalLoss;
  return names;
}();

/// Whether a metric is a loss: measured with the held-out loss, and better when lower. The others
/// are measured with AP.
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
