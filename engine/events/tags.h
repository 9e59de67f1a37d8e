#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Tags of the event log; all writers and readers use these.
namespace lockstep::events::tags {

/// Prefix the name of a loss or metric of a training step, or of an evaluation on held-out data:
/// `train/loss_mask`, `eval/loss_mask`, `eval/segm/AP`.
std::string train(std::string_view name);
std::string eval(std::string_view name);
/// AP of a category: `eval/segm/AP/class/3`, or `eval/bbox/AP/class/3` for a model without masks.
/// apTag: kMaskAp or kBoxAp.
std::string apOfClass(const char* apTag, std::int64_t categoryId);
/// Picture of the predictions on a held-out image: `eval/predictions/42`.
std::string evalPredictions(std::int64_t imageId);
bool isTrainLoss(std::string_view tag);
bool isEvalLoss(std::string_view tag);
/// Without the prefix: `loss_mask`, `segm/AP`.
std::string_view nameIn(std::string_view tag);

/// Present in every training step.
inline constexpr const char* kTrainTotalLoss = "train/loss_total";
inline constexpr const char* kEvalTotalLoss = "eval/loss_total";
inline constexpr const char* kMaskAp = "eval/segm/AP";
inline constexpr const char* kBoxAp = "eval/bbox/AP";

inline constexpr const char* kLearningRate = "solver/lr";
inline constexpr const char* kGradientNorm = "solver/grad_norm";
inline constexpr const char* kLossScale = "solver/loss_scale";
/// The smoothed training loss, in every step of a learning-rate range test and nowhere else.
inline constexpr const char* kFindLrLoss = "find_lr/loss";

/// Before the name of a parameter, with monitor.tensor_stats_every: norm and mean of its gradient
/// before clipping and of its weights after the update, and norm of the update / norm of the
/// weights.
inline constexpr const char* kGradientNorms = "grad_norm/";
inline constexpr const char* kGradientMeans = "grad_mean/";
inline constexpr const char* kWeightNorms = "weight_norm/";
inline constexpr const char* kWeightMeans = "weight_mean/";
inline constexpr const char* kUpdateRatios = "update_ratio/";
/// Before a config::ModelPart, of every step.
inline constexpr const char* kPartGradientNorms = "grad_norm/part/";

/// Of the images of a step: means per image, shares of objects, RoIs and mask pixels.
inline constexpr const char* kRpnPositives = "rpn/positives";
inline constexpr const char* kRpnRecall = "rpn/recall";  ///< objects with a proposal, IoU >= 0.5
inline constexpr const char* kRoiPositives = "roi/positives";
inline constexpr const char* kBoxAccuracy = "box/accuracy";
inline constexpr const char* kMaskAccuracy = "mask/accuracy";
/// Anchors per image that match an object, of an FPN level: `rpn/matched/p2` of the finest, 0.
std::string matchedAnchors(std::size_t level);

inline constexpr const char* kStepSeconds = "time/step_seconds";
inline constexpr const char* kDataSeconds = "time/data_seconds";
/// Computing, of rank 0 where there are several; the backward pass without waiting for other ranks.
inline constexpr const char* kForwardSeconds = "time/forward_seconds";
inline constexpr const char* kBackwardSeconds = "time/backward_seconds";
inline constexpr const char* kOptimizerSeconds = "time/optimizer_seconds";
inline constexpr const char* kWaitSeconds = "time/wait_seconds";  ///< for other ranks, if any
inline constexpr const char* kImagesPerSecond = "time/images_per_second";

inline constexpr const char* kCpuPercent = "system/cpu_percent";
inline constexpr const char* kHostMemoryGib = "system/memory_gib";

/// Per rank and per GPU: N is its number.
inline constexpr const char* kRankStepSeconds = "time/rankN/step_seconds";
inline constexpr const char* kRankDataSeconds = "time/rankN/data_seconds";  ///< waiting for images
inline constexpr const char* kRankWaitSeconds = "time/rankN/wait_seconds";  ///< for other ranks
inline constexpr const char* kRankForwardSeconds = "time/rankN/forward_seconds";
inline constexpr const char* kRankBackwardSeconds = "time/rankN/backward_seconds";
inline constexpr const char* kRankOptimizerSeconds = "time/rankN/optimizer_seconds";
inline constexpr const char* kRankOwnSeconds =
    "time/rankN/own_seconds";  ///< step time without the two waits
inline constexpr const char* kGpuUtilisation = "system/gpuN/utilisation_percent";
inline constexpr const char* kGpuMemoryGib = "system/gpuN/memory_gib";
inline constexpr const char* kGpuTemperature = "system/gpuN/temperature_celsius";
inline constexpr const char* kGpuPower = "system/gpuN/power_watts";
inline constexpr const char* kGpuThrottled = "system/gpuN/throttled_percent";

/// Of TensorBoard's HParams plugin: names of hyper-parameters and metrics; their values in a run;
/// how it ended.
inline constexpr const char* kHyperParameterNames = "_hparams_/experiment";
inline constexpr const char* kHyperParameterValues = "_hparams_/session_start_info";
inline constexpr const char* kHyperParameterEnd = "_hparams_/session_end_info";
bool isHyperParameters(std::string_view tag);

/// Whether it is a pattern for a tag per rank or GPU.
bool isNumbered(std::string_view pattern);
/// `time/rank2/own_seconds` of `time/rankN/own_seconds`; a tag without an N as it is.
std::string numbered(std::string_view pattern, int number);
/// The number N for which `tag` matches `pattern`, or nullopt.
std::optional<int> numberIn(std::string_view tag, std::string_view pattern);

}  // namespace lockstep::events::tags
