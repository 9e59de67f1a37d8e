#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/choices.h"
#include "engine/config/duration.h"
#include "engine/config/level.h"
#include "engine/config/losses.h"

/// The experiment file as typed structs. The field table (fields.h) holds key names, ranges and
/// help; code after loading reads these structs only. Paths are absolute once loaded, "" if not
/// given.
namespace lockstep::config {

struct DatasetSplit {
  std::string images;       ///< folder
  std::string annotations;  ///< COCO JSON file
};

/// A list of values, or a word in its place such as `auto` or `none`. The word "" is `null`.
template <typename Value>
struct ListOrWord {
  std::vector<Value> values;
  std::string word;
};

struct TilesConfig {
  int sizePx = 0;  ///< 0: whole images
  double overlap = 0.2;
};

struct DatasetConfig {
  DatasetSplit train;
  DatasetSplit val;
  bool skipEmpty = true;
  bool groupByAspect = true;
  double repeatThreshold = 0.0;
  int loaderThreads = 0;
  ImageCache cache = ImageCache::None;
  std::int64_t cacheLimitBytes = std::int64_t{4} << 30;
  BadImages badImages = BadImages::Fail;
  TilesConfig tiles;
  ListOrWord<int> channels{{}, "auto"};
  ListOrWord<Level> window;  ///< mapped to 0 and 1; null: the range of the file's data type
  ListOrWord<double> mean;   ///< per channel, of 0 … 1
  ListOrWord<double> std;

  bool hasHeldOut() const { return !val.annotations.empty(); }
  bool skipsBadImages() const { return badImages == BadImages::Skip; }
};

struct AugmentConfig {
  std::vector<int> minSize{800};
  int maxSize = 1333;
  double horizontalFlip = 0.5;
  double verticalFlip = 0.0;
  double brightness = 0.0;
  double contrast = 0.0;
  double saturation = 0.0;
  double blur = 0.0;
  double noise = 0.0;
  double quarterTurns = 0.0;
  std::vector<double> scaleJitter{1.0, 1.0};
  double crop = 0.0;
  double copyPaste = 0.0;
  PadTo padTo = PadTo::Batch;

  bool padsToCanonicalSizes() const { return padTo == PadTo::Canonical; }
};

struct AnchorConfig {
  std::vector<double> sizes{32, 64, 128, 256, 512};  ///< px, one per pyramid level
  std::vector<double> aspectRatios{0.5, 1.0, 2.0};   ///< height / width
};

struct RpnConfig {
  int preNmsTopNTrain = 2000;
  int preNmsTopNTest = 1000;
  int postNmsTopNTrain = 2000;
  int postNmsTopNTest = 1000;
  double nmsThreshold = 0.7;
  double fgIou = 0.7;
  double bgIou = 0.3;
  int batchSizePerImage = 256;
  double positiveFraction = 0.5;
};

struct BoxHeadConfig {
  int roiResolution = 7;
  int samplingRatio = 2;
  int fcDim = 1024;
  int batchSizePerImage = 512;
  double positiveFraction = 0.25;
  double fgIou = 0.5;
  double bgIou = 0.5;
  std::vector<double> regressionWeights{10, 10, 5, 5};
  double scoreThreshold = 0.05;
  double nmsThreshold = 0.5;
  int detectionsPerImage = 100;
};

struct MaskHeadConfig {
  int roiResolution = 14;
  int samplingRatio = 2;
  int convs = 4;
  int channels = 256;
};

struct ModelConfig {
  std::string backbone = "resnet50";  ///< name of one of backbones()
  std::optional<Norm> norm;           ///< absent: auto
  double normEpsilon = 1e-5;
  std::optional<int> freezeStages;  ///< absent: auto
  int fpnChannels = 256;
  bool masks = true;
  std::string weights;  ///< safetensors file
  AnchorConfig anchors;
  RpnConfig rpn;
  BoxHeadConfig boxHead;
  MaskHeadConfig maskHead;

  /// `norm` with auto resolved: frozen_batch with weights, else group.
  Norm resolvedNorm() const {
    return norm.value_or(weights.empty() ? Norm::Group : Norm::FrozenBatch);
  }
  /// `freeze_stages` with auto resolved: 2 with weights, else 0.
  int resolvedFreezeStages() const { return freezeStages.value_or(weights.empty() ? 0 : 2); }
};

struct SolverConfig {
  OptimizerKind optimizer = OptimizerKind::Sgd;
  double baseLr = 0.02;
  double momentum = 0.9;
  bool nesterov = false;
  double weightDecay = 0.0001;
  double normWeightDecay = 0.0001;
  double backboneLrFactor = 1.0;
  double biasLrFactor = 1.0;
  Schedule schedule = Schedule::Step;
  std::vector<Duration> milestones{{60000}, {80000}};
  double gamma = 0.1;
  Duration warmupSteps{500};
  double warmupFactor = 0.001;
  Duration maxSteps{90000};
  int batchSize = 16;
  int accumulate = 1;
  double clipGradNorm = 0.0;
  LossWeights lossWeights;
  double emaDecay = 0.0;
  ListOrWord<double> classWeights{{}, "none"};  ///< none | inverse | one per class
};

struct EarlyStopConfig {
  std::string metric;  ///< empty: patience is off
  int patience = 5;
  double minDelta = 0.0;
  std::optional<double> target;  ///< of metric or, if that is empty, of best_metric
};

struct EvaluationConfig {
  Duration lossEvery{1000};
  Duration apEvery{5000};
  int maxImages = 0;
  std::string bestMetric = "segm/AP";
  std::vector<int> maxDets{1, 10, 100};
  EarlyStopConfig earlyStop;

  /// The metric that may end the training; empty: none.
  const std::string& stopMetric() const {
    return earlyStop.metric.empty() && earlyStop.target ? bestMetric : earlyStop.metric;
  }
};

struct CheckpointConfig {
  Duration every{5000};
  int keep = 3;
  bool keepBest = true;
};

/// Commands that the supervisor runs; empty: none.
struct EventCommands {
  std::string best, alert, end;
  bool operator==(const EventCommands&) const = default;

  /// Names of the events that have one, with their commands.
  std::vector<std::pair<std::string, std::string>> byEvent() const {
    std::vector<std::pair<std::string, std::string>> all{
        {"best", best}, {"alert", alert}, {"end", end}};
    std::erase_if(all, [](const auto& event) { return event.second.empty(); });
    return all;
  }
};

struct MonitorConfig {
  Duration logEvery{20};
  Duration tensorStatsEvery{0};
  std::vector<std::string> tensorStatsInclude;
  Duration predictionsEvery{1000};
  int predictionImages = 8;
  int summaryImages = 0;
  EventCommands onEvent;
};

struct RuntimeConfig {
  std::optional<Device> device;  ///< absent: auto
  int workers = 0;
  std::vector<int> devices;
  std::optional<Backend> backend;                        ///< absent: auto
  std::optional<Precision> precision = Precision::Fp32;  ///< absent: auto
  bool deterministic = false;
  std::int64_t seed = 1;
  int cpuThreads = 0;
  bool cudaGraphs = false;
  int maxRestarts = 0;
  double stallSeconds = 600;
};

struct Experiment {
  std::string name = "mask_rcnn_r50_fpn";
  std::string base;  ///< file this one inherits from, as written; empty: none
  DatasetConfig dataset;
  AugmentConfig augment;
  ModelConfig model;
  SolverConfig solver;
  EvaluationConfig evaluation;
  CheckpointConfig checkpoint;
  MonitorConfig monitor;
  RuntimeConfig runtime;
};

}  // namespace lockstep::config
