#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/number_text.h"
#include "engine/base/pattern.h"
#include "engine/base/shortened_text.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/config/value_text.h"

namespace lockstep::config {
namespace {

namespace fs = std::filesystem;
using Issues = std::vector<ConfigIssue>;

constexpr double kLargestUsualLr = 1;

void add(Issues& issues, std::string key, std::string text) {
  ConfigIssue issue;
  issue.key = std::move(key);
  issue.text = std::move(text);
  issues.push_back(std::move(issue));
}

void warn(Issues& issues, std::string key, std::string text) {
  add(issues, std::move(key), std::move(text));
  issues.back().severity = ConfigIssue::Severity::Warning;
}

void checkName(const Experiment& experiment, Issues& issues) {
  const std::string& name = experiment.name;
  if (name.empty()) return;  // its field reports that
  if (name.find('/') != std::string::npos || name[0] == '.' || name[0] == '-') {
    add(issues, "name",
        name + " cannot name a run folder: it must not contain '/' or start with '.' or '-'");
  } else if (name.size() > 150) {
    add(issues, "name", "is too long to name a run folder; use at most 150 bytes");
  }
}

void checkImplemented(const Experiment& experiment, Issues& issues) {
  for (const Field& field : fields()) {
    const std::string refusal = field.refusal(experiment);
    if (refusal.empty()) continue;
    add(issues, field.key, refusal);
    issues.back().suggestion = field.defaultText();
  }
}

void checkFrozen(const ModelConfig& model, Issues& issues) {
  if (!model.weights.empty()) return;
  const std::string remedy =
      ": without model.weights this would freeze randomly initialized layers; set model.weights to "
      "a safetensors file, or train from scratch with model.norm: group and model.freeze_stages: 0";
  if (model.norm == Norm::FrozenBatch)
    add(issues, "model.norm", base::textOf(Norm::FrozenBatch) + remedy);
  if (model.resolvedFreezeStages() > 0) {
    add(issues, "model.freeze_stages", std::to_string(*model.freezeStages) + remedy);
  }
}

void checkModel(const ModelConfig& model, Issues& issues) {
  checkFrozen(model, issues);
  const auto checkIou = [&](const std::string& section, double bgIou, double fgIou) {
    if (bgIou <= fgIou) return;
    add(issues, section + ".bg_iou",
        writeNumber(bgIou) + " is above " + section + ".fg_iou, " + writeNumber(fgIou) +
            ": nothing can be both foreground and background");
  };
  checkIou("model.rpn", model.rpn.bgIou, model.rpn.fgIou);
  checkIou("model.box_head", model.boxHead.bgIou, model.boxHead.fgIou);
}

void checkSolver(const SolverConfig& solver, Issues& issues) {
  for (std::size_t index = 1; index < solver.milestones.size(); ++index) {
    const Duration &before = solver.milestones[index - 1], &here = solver.milestones[index];
    if (before.unit != here.unit || before.count < here.count) continue;
    add(issues, "solver.milestones",
        writeDuration(here) + " does not come after " + writeDuration(before) +
            ": milestones must be in ascending order");
    break;
  }
  if (solver.batchSize % solver.accumulate != 0) {
    add(issues, "solver.batch_size",
        base::counted(static_cast<std::uint64_t>(solver.batchSize), "image") +
            " cannot be divided evenly into solver.accumulate: " +
            std::to_string(solver.accumulate) + " micro-batches; " +
            nearestBatchSizes(solver.batchSize, solver.accumulate));
  }
  if (solver.nesterov && solver.momentum == 0 && solver.optimizer == OptimizerKind::Sgd) {
    add(issues, "solver.nesterov", "true needs solver.momentum above 0");
  }
  if (solver.baseLr > kLargestUsualLr)
    warn(issues, "solver.base_lr",
         writeNumber(solver.baseLr) +
             " makes nearly every training diverge; Mask R-CNN's usual "
             "rate is 0.02 at a batch of 16 images, in proportion to it");
  if (solver.warmupSteps.unit == solver.maxSteps.unit &&
      solver.warmupSteps.count > solver.maxSteps.count) {
    warn(issues, "solver.warmup_steps",
         "the warm-up of " + writeDuration(solver.warmupSteps) +
             (solver.warmupSteps.unit == Duration::Unit::Steps ? " steps" : "") +
             " is longer than solver.max_steps (" + writeDuration(solver.maxSteps) + ")");
  }
}

void checkAugment(const AugmentConfig& augment, Issues& issues) {
  for (const int size : augment.minSize) {
    if (size <= augment.maxSize) continue;
    warn(issues, "augment.min_size",
         std::to_string(size) + " is never reached: augment.max_size is " +
             std::to_string(augment.maxSize));
    break;
  }
  const std::vector<double>& jitter = augment.scaleJitter;
  if (jitter.size() == 2 && jitter[0] > jitter[1]) {
    add(issues, "augment.scale_jitter",
        "the smallest factor, " + writeNumber(jitter[0]) + ", is above the largest, " +
            writeNumber(jitter[1]));
  }
}

/// Without a mask head, nothing that is measured of masks can be asked for.
void checkMasks(const Experiment& experiment, Issues& issues) {
  if (experiment.model.masks) return;
  const EvaluationConfig& evaluation = experiment.evaluation;
  const auto check = [&](const char* key, const std::string& metric) {
    if (!measuresMasks(metric)) return;
    add(issues, key,
        metric + " is never measured with model.masks: false; use " + kBestBoxMetric +
            " or a loss");
    issues.back().suggestion = kBestBoxMetric;
  };
  check("evaluation.best_metric", evaluation.bestMetric);
  check("evaluation.early_stop.metric", evaluation.earlyStop.metric);
}

void checkMonitor(const MonitorConfig& monitor, Issues& issues) {
  if (monitor.summaryImages > 0 && monitor.predictionsEvery.count == 0) {
    warn(issues, "monitor.summary_images",
         std::to_string(monitor.summaryImages) +
             " are never drawn: monitor.predictions_every is 0, so nothing is predicted");
  }
  for (const std::string& pattern : monitor.tensorStatsInclude) {
    try {
      const base::Pattern valid(pattern);
    } catch (const Error& error) {
      add(issues, "monitor.tensor_stats_include",
          "'" + base::shortened(pattern) + "' is not a valid regular expression: " + error.what());
    }
  }
}

void checkRuntime(const Experiment& experiment, Issues& issues) {
  const Norm norm = experiment.model.resolvedNorm();
  if (experiment.runtime.cudaGraphs && hasBatchStatistics(norm)) {
    add(issues, "runtime.cuda_graphs",
        std::string("true does not work with model.norm: ") + base::textOf(norm) +
            ", whose statistics change with every batch; use frozen_batch or group");
  }
  if (experiment.runtime.device == Device::Cpu)
    for (ConfigIssue& issue : ignoredOnCpu(experiment.runtime)) issues.push_back(std::move(issue));
}

void checkEarlyStop(const EvaluationConfig& evaluation, Issues& issues) {
  const std::string& metric = evaluation.stopMetric();
  if (metric.empty()) return;
  const std::string key = evaluation.earlyStop.metric.empty() ? "evaluation.early_stop.target"
                                                              : "evaluation.early_stop.metric";
  if (!isLoss(metric) && evaluation.apEvery.count == 0) {
    add(issues, key, metric + " is never measured while evaluation.ap_every is 0");
  } else if (isLoss(metric) && evaluation.lossEvery.count == 0 && evaluation.apEvery.count == 0) {
    add(issues, key,
        metric + " is measured at the last step only while evaluation.loss_every is 0");
  }
  if (!isLoss(metric) && evaluation.earlyStop.target.value_or(0) > 1) {
    add(issues, "evaluation.early_stop.target",
        writeNumber(*evaluation.earlyStop.target) + " is never reached: " + metric +
            " is at most 1");
  }
}

/// One of the metrics that follow from max_dets.
void checkMetric(const EvaluationConfig& evaluation, const std::string& key,
                 const std::string& metric, Issues& issues) {
  const std::vector<std::string> metrics = evaluationMetrics(evaluation);
  if (metric.empty() || std::ranges::find(metrics, metric) != metrics.end()) return;
  const coco::Params params = apParams(evaluation);
  add(issues, key,
      metric + " is not measured: evaluation.max_dets are " +
          std::to_string(params.maxDetections[0]) + ", " + std::to_string(params.maxDetections[1]) +
          " and " + std::to_string(params.maxDetections[2]));
}

void checkEvaluation(const EvaluationConfig& evaluation, Issues& issues) {
  if (std::ranges::adjacent_find(evaluation.maxDets, std::greater_equal()) !=
      evaluation.maxDets.end())
    add(issues, "evaluation.max_dets", "must be three numbers in ascending order");
  checkMetric(evaluation, "evaluation.best_metric", evaluation.bestMetric, issues);
  checkMetric(evaluation, "evaluation.early_stop.metric", evaluation.earlyStop.metric, issues);
  checkEarlyStop(evaluation, issues);
  const std::string& metric = evaluation.bestMetric;
  if (evaluation.apEvery.count > 0 || isLoss(metric)) return;
  warn(issues, "evaluation.ap_every",
       "0 means no AP: evaluation.best_metric, " + metric +
           ", is never measured, so no checkpoint becomes the best; use a loss, such as "
           "loss_total, as best_metric");
}

void checkFolder(const std::string& key, const std::string& path, Issues& issues) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) {
    add(issues, key, path + ": no such folder");
  } else if (failure) {
    add(issues, key, path + ": " + failure.message());
  } else if (!fs::is_directory(status)) {
    add(issues, key, path + ": is a file, not a folder");
  }
}

void checkFile(const std::string& key, const std::string& path, Issues& issues) {
  const std::string error = base::inputFileError(path, "a file");
  if (!error.empty()) add(issues, key, path + ": " + error);
}

/// `remedy`: what to do when only one of the two paths is given.
void checkSplit(const std::string& key, const DatasetSplit& split, const std::string& remedy,
                Issues& issues) {
  if (!split.images.empty()) checkFolder(key + ".images", split.images, issues);
  if (!split.annotations.empty()) checkFile(key + ".annotations", split.annotations, issues);
  if (split.images.empty() == split.annotations.empty()) return;
  const std::string given = split.images.empty() ? ".annotations" : ".images";
  const std::string missing = split.images.empty() ? ".images" : ".annotations";
  add(issues, key + given, "is given without " + key + missing + ": " + remedy);
}

void checkDataset(const DatasetConfig& dataset, Issues& issues) {
  checkSplit("dataset.train", dataset.train, "both are needed", issues);
  checkSplit("dataset.val", dataset.val, "give both or neither", issues);
  std::error_code failure;
  if (!dataset.train.annotations.empty() && !dataset.val.annotations.empty() &&
      (dataset.train.annotations == dataset.val.annotations ||
       fs::equivalent(dataset.train.annotations, dataset.val.annotations, failure))) {
    warn(
        issues, "dataset.val.annotations",
        "is the training set's file: validation metrics will show how well the model memorized the "
        "training images, not how well it generalizes");
  }
}

/// Neither path is given. checkSplit() reports a split with only one.
bool isMissing(const DatasetSplit& split) {
  return split.images.empty() && split.annotations.empty();
}

}  // namespace

std::string nearestBatchSizes(std::int64_t batchSize, std::int64_t parts) {
  const std::int64_t below = batchSize / parts * parts;
  if (below == 0) return "the smallest batch size is " + std::to_string(parts);
  return "the nearest batch sizes are " + std::to_string(below) + " and " +
         std::to_string(below + parts);
}

std::vector<ConfigIssue> ignoredOnCpu(const RuntimeConfig& runtime) {
  Issues issues;
  const std::string why = " is ignored: the device is the CPU";
  if (!runtime.devices.empty()) {
    Experiment experiment;
    experiment.runtime.devices = runtime.devices;
    warn(issues, "runtime.devices", findField("runtime.devices")->text(experiment) + why);
  }
  if (runtime.cudaGraphs) warn(issues, "runtime.cuda_graphs", "true" + why);
  if (runtime.precision == Precision::Tf32)
    warn(issues, "runtime.precision", "tf32 is fp32 here: the device is the CPU");
  return issues;
}

std::vector<ConfigIssue> missingData(const Experiment& experiment) {
  Issues issues;
  if (isMissing(experiment.dataset.train)) {
    add(issues, "dataset.train.images", "is not given: name the folder of the images");
    add(issues, "dataset.train.annotations", "is not given: name a COCO instances file");
  }
  if (isMissing(experiment.dataset.val)) {
    warn(issues, "dataset.val.annotations",
         "is not given: there will be no validation loss, AP, predictions or best checkpoint");
  }
  return issues;
}

std::vector<ConfigIssue> crossChecks(const Experiment& experiment) {
  Issues issues;
  checkName(experiment, issues);
  checkDataset(experiment.dataset, issues);
  checkAugment(experiment.augment, issues);
  checkModel(experiment.model, issues);
  if (!experiment.model.weights.empty()) {
    checkFile("model.weights", experiment.model.weights, issues);
  }
  checkSolver(experiment.solver, issues);
  checkEvaluation(experiment.evaluation, issues);
  checkMasks(experiment, issues);
  checkMonitor(experiment.monitor, issues);
  checkRuntime(experiment, issues);
  checkImplemented(experiment, issues);
  return issues;
}

}  // namespace lockstep::config
