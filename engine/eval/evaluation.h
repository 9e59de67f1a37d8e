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
#include "engine/eval/object_losses.h"

namespace lockstep::eval {

/// In the order of config::kLossNames; the last is the weighted sum.
using LossValues = std::array<double, config::kLossNames.size()>;

struct ImageLosses {
  ImageId imageId;
  LossValues values{};
};

/// Which held-out metrics are requested, or present.
struct EvaluationRequest {
  bool losses = true;
  bool averagePrecision = true;
};

/// Held-out metrics of a model at one step.
struct Evaluation {
  std::int64_t step = 0;              ///< 0: unknown
  std::int64_t imageCount = 0;        ///< images that could be read
  std::optional<LossValues> losses;   ///< mean over images, added in data-set order in double
  std::vector<ImageLosses> perImage;  ///< in data-set order; empty if losses were not requested
  std::optional<ObjectLosses> objectLosses;  ///< with the losses
  std::vector<coco::Detection>
      detections;  ///< in data-set order, per image by falling score; if AP was requested
  std::optional<coco::AveragePrecision> bbox;  ///< absent if only losses were requested
  std::optional<coco::AveragePrecision> segm;  ///< also absent if the model has no mask head
  std::vector<data::BadImageInfo> badImages;   ///< excluded from all metrics, in data-set order
};

/// Mean of the images' losses, added in their order in double.
LossValues meanLosses(const std::vector<ImageLosses>& perImage);

/// JSON of `evaluate --out` and of evaluations/step-N.json.
std::string toJson(const Evaluation& evaluation, bool withPerImage);

/// Which metrics an evaluations/step-N.json has: none if the file is missing or invalid.
EvaluationRequest metricsIn(const std::filesystem::path& file);

/// JSON of predictions/step-N.json: {"image_ids", "score_threshold", "detections"}, and
/// "unreadable" if images were skipped: for each what is wrong, which names its file.
std::string predictionsJson(const std::vector<ImageId>& imageIds, double scoreThreshold,
                            const std::vector<coco::Detection>& detections,
                            const std::vector<std::string>& unreadable = {});

/// The scalars of an evaluation for the event log: `eval/loss_mask`, `eval/segm/AP` …
std::vector<std::pair<std::string, float>> evaluationScalars(const Evaluation& evaluation);

/// A metric by its name without `eval/`: `segm/AP`, `bbox/AP50`, `loss_total`. Absent if this
/// evaluation does not have it, if it is undefined (-1) or not finite. Throws UserError for an
/// unknown name.
std::optional<double> metricValue(const Evaluation& evaluation, std::string_view metric);

/// Whether `value` is better by more than `byMoreThan`: lower for losses, higher for every other
/// metric.
bool isBetter(std::string_view metric, double value, double than, double byMoreThan = 0);

}  // namespace lockstep::eval
