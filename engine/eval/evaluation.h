#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/files/results.h"
#include "engine/config/losses.h"
#include "engine/data/bad_image.h"

namespace lockstep::eval {

/// In the order of config::kLossNames: the last is the weighted sum.
using LossValues = std::array<double, config::kLossNames.size()>;

struct ImageLosses {
  ImageId imageId;
  LossValues values{};
};

/// Which held-out figures are wanted, or there.
struct EvaluationRequest {
  bool losses = true;
  bool averagePrecision = true;
};

/// Held-out figures of one state of the model.
struct Evaluation {
  std::int64_t step = 0;              ///< 0: unknown
  std::int64_t imageCount = 0;        ///< those that could be read
  std::optional<LossValues> losses;   ///< mean over images, added in data-set order in double
  std::vector<ImageLosses> perImage;  ///< in data-set order; empty when losses were not asked for
  std::vector<coco::Detection>
      detections;  ///< in data-set order, per image best first; when AP was asked for
  std::optional<coco::AveragePrecision> bbox;  ///< absent where only the loss was due
  std::optional<coco::AveragePrecision> segm;
  std::vector<data::ImageFault> badImages;  ///< left out of all of it, in data-set order
};

/// Mean of the images' losses in double, in their order.
LossValues meanLosses(const std::vector<ImageLosses>& perImage);

/// JSON of `evaluate --out` and of evaluations/step-N.json.
std::string toJson(const Evaluation& evaluation, bool withPerImage);

/// The figures that an evaluations/step-N.json holds: none of a file that is missing or broken.
EvaluationRequest figuresIn(const std::filesystem::path& file);

/// JSON of predictions/step-N.json: {"image_ids", "score_threshold", "detections"}.
std::string predictionsJson(const std::vector<ImageId>& imageIds, double scoreThreshold,
                            const std::vector<coco::Detection>& detections);

/// `eval/loss_mask`, `eval/segm/AP` …: what the event log keeps of an evaluation.
std::vector<std::pair<std::string, float>> evaluationScalars(const Evaluation& evaluation);

/// A metric by its name without `eval/`: `segm/AP`, `bbox/AP50`, `loss_total`. Absent when this
/// evaluation does not have it or cannot say it (-1), or when it is not finite. Throws Error
/// (mendable) for a name that no evaluation has.
std::optional<double> metricValue(const Evaluation& evaluation, std::string_view metric);

/// A lower loss is better, and a higher value of every other metric; by more than `byMoreThan`.
bool isBetter(std::string_view metric, double value, double than, double byMoreThan = 0);

}  // namespace lockstep::eval
