#include <filesystem>
#include <system_error>

#include "engine/base/input_file.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/config/value_text.h"

namespace lockstep::config {
namespace {

namespace fs = std::filesystem;
using Issues = std::vector<ConfigIssue>;

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
  if (name.empty()) return;  // refused by its field
  if (name.find('/') != std::string::npos || name[0] == '.' || name[0] == '-') {
    add(issues, "name",
        name + ": run folders are named so: no '/', and no '.' or '-' at the start");
  } else if (name.size() > 150) {
    add(issues, "name", "is too long for the name of a run folder: 150 bytes at most");
  }
}

void checkBuilt(const Experiment& experiment, Issues& issues) {
  for (const Field& field : fields()) {
    const std::string refusal = field.refusal(experiment);
    if (refusal.empty()) continue;
    add(issues, field.key, refusal);
    issues.back().proposal = field.defaultText();
  }
}

void checkFrozen(const ModelConfig& model, Issues& issues) {
  if (!model.weights.empty()) return;
  const std::string ways =
      ": without model.weights it would freeze random numbers; give model.weights a safetensors "
      "file, or train from scratch with model.norm: group and model.freeze_stages: 0";
  if (model.norm == Norm::FrozenBatch)
    add(issues, "model.norm", base::textOf(Norm::FrozenBatch) + ways);
  if (model.resolvedFreezeStages() > 0) {
    add(issues, "model.freeze_stages", std::to_string(*model.freezeStages) + ways);
  }
}

void checkModel(const ModelConfig& model, Issues& issues) {
  checkFrozen(model, issues);
  const auto checkIou = [&](const std::string& section, double bgIou, double fgIou) {
    if (bgIou <= fgIou) return;
    add(issues, section + ".bg_iou",
        writeNumber(bgIou) + " is above " + section + ".fg_iou, " + writeNumber(fgIou) +
            ": nothing can be both object and background");
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
            ": milestones have to rise");
    break;
  }
  if (solver.batchSize % solver.accumulate != 0) {
    add(issues, "solver.batch_size",
        std::to_string(solver.batchSize) +
            " images cannot be shared out evenly to solver.accumulate: " +
            std::to_string(solver.accumulate) + " parts");
  }
  if (solver.nesterov && solver.momentum == 0 && solver.optimizer == OptimizerKind::Sgd) {
    add(issues, "solver.nesterov", "true needs a solver.momentum above 0");
  }
  if (solver.warmupSteps.unit == solver.maxSteps.unit &&
      solver.warmupSteps.count > solver.maxSteps.count) {
    warn(issues, "solver.warmup_steps",
         writeDuration(solver.warmupSteps) +
             " is longer than the training, solver.max_steps: " + writeDuration(solver.maxSteps));
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
}

void checkRuntime(const Experiment& experiment, Issues& issues) {
  const Norm norm = experiment.model.resolvedNorm();
  if (experiment.runtime.cudaGraphs && hasBatchStatistics(norm)) {
    add(issues, "runtime.cuda_graphs",
        std::string("true is not for model.norm: ") + base::textOf(norm) +
            ", whose statistics follow every batch; take frozen_batch or group");
  }
}

void checkEarlyStop(const EvaluationConfig& evaluation, Issues& issues) {
  const std::string& metric = evaluation.earlyStop.metric;
  if (metric.empty()) return;
  if (!isLoss(metric) && evaluation.apEvery.count == 0) {
    add(issues, "evaluation.early_stop.metric",
        metric + " is never measured while evaluation.ap_every is 0");
  } else if (isLoss(metric) && evaluation.lossEvery.count == 0 && evaluation.apEvery.count == 0) {
    add(issues, "evaluation.early_stop.metric",
        metric + " is measured at the last step only while evaluation.loss_every is 0");
  }
}

void checkEvaluation(const EvaluationConfig& evaluation, Issues& issues) {
  checkEarlyStop(evaluation, issues);
  const std::string& metric = evaluation.bestMetric;
  if (evaluation.apEvery.count > 0 || isLoss(metric)) return;
  warn(issues, "evaluation.ap_every",
       "0 means that there is no AP: evaluation.best_metric, " + metric +
           ", is never measured and no checkpoint is the best; name a loss there, such as "
           "loss_total");
}

void checkFolder(const std::string& key, const std::string& path, Issues& issues) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) {
    add(issues, key, path + ": there is no such folder");
  } else if (failure) {
    add(issues, key, path + ": " + failure.message());
  } else if (!fs::is_directory(status)) {
    add(issues, key, path + ": is a file; a folder is wanted");
  }
}

void checkFile(const std::string& key, const std::string& path, Issues& issues) {
  const std::string fault = base::inputFileFault(path, "a file");
  if (!fault.empty()) add(issues, key, path + ": " + fault);
}

/// `ways`: how a part of which one path is given can be mended.
void checkPart(const std::string& key, const DatasetPart& part, const std::string& ways,
               Issues& issues) {
  if (!part.images.empty()) checkFolder(key + ".images", part.images, issues);
  if (!part.annotations.empty()) checkFile(key + ".annotations", part.annotations, issues);
  if (part.images.empty() == part.annotations.empty()) return;
  const std::string given = part.images.empty() ? ".annotations" : ".images";
  const std::string missing = part.images.empty() ? ".images" : ".annotations";
  add(issues, key + given, "is given but not " + key + missing + ": " + ways);
}

void checkDataset(const DatasetConfig& dataset, Issues& issues) {
  checkPart("dataset.train", dataset.train, "both are needed", issues);
  checkPart("dataset.val", dataset.val, "give both or none", issues);
  std::error_code failure;
  if (!dataset.train.annotations.empty() && !dataset.val.annotations.empty() &&
      (dataset.train.annotations == dataset.val.annotations ||
       fs::equivalent(dataset.train.annotations, dataset.val.annotations, failure))) {
    warn(issues, "dataset.val.annotations",
         "is the training part's file: held-out figures will say how well the training images are "
         "remembered, not how well others are found");
  }
}

/// Of a part with one path and without the other the checks across keys speak.
bool isOpen(const DatasetPart& part) { return part.images.empty() && part.annotations.empty(); }

}  // namespace

std::vector<ConfigIssue> missingData(const Experiment& experiment) {
  Issues issues;
  if (isOpen(experiment.dataset.train)) {
    add(issues, "dataset.train.images", "is not given: name the folder of the images");
    add(issues, "dataset.train.annotations", "is not given: name a COCO instances file");
  }
  if (isOpen(experiment.dataset.val)) {
    warn(issues, "dataset.val.annotations",
         "is not given: no held-out loss, no AP, no predictions and no best checkpoint");
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
  checkRuntime(experiment, issues);
  checkBuilt(experiment, issues);
  return issues;
}

}  // namespace lockstep::config
