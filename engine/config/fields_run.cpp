#include <iterator>
#include <tuple>

#include "engine/coco/evaluation/stat_names.h"
#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

/// Metrics that an evaluation can be judged by.
std::vector<std::string> metricNames() {
  std::vector<std::string> names;
  for (const char* type : {"segm", "bbox"}) {
    for (const char* stat : coco::kStatNames) names.push_back(std::string(type) + "/" + stat);
  }
  names.emplace_back(kTotalLoss);
  for (const LossFacts& loss : kLosses) names.emplace_back(loss.name);
  return names;
}

void addEvaluationFields(FieldTable& table) {
  SectionRows evaluation(
      table, "evaluation", "Evaluation on the held-out (validation) set.",
      [](auto& e) -> auto& { return e.evaluation; });
  evaluation.duration("loss_every", &EvaluationConfig::lossEvery, atLeast(0),
                      "Interval of the held-out (validation) loss; 0: at the last step only.");
  evaluation.duration("ap_every", &EvaluationConfig::apEvery, atLeast(0),
                      "Interval of AP and AR (COCO's twelve figures), also at the last step; 0: "
                      "never. Takes longer than the loss.");
  evaluation.integer("max_images", &EvaluationConfig::maxImages, atLeast(0), "images",
                     "Only the first so many held-out images are evaluated, to save time; 0: all.");
  evaluation.choice("best_metric", &EvaluationConfig::bestMetric, metricNames(),
                    "Metric that decides which checkpoint is the best: the lowest of a loss, the "
                    "highest of the others.");
  Field& limits = evaluation.integers(
      "max_dets", &EvaluationConfig::maxDets, between(1, 100000), "detections",
      "Detections of a class on an image that count: the three limits of COCO's figures.");
  limits.listSize = 3;
  limits.isBuilt = false;

  SectionRows stop(
      table, "evaluation.early_stop",
      "Early stopping: end the training when a metric no longer improves.",
      [](auto& e) -> auto& { return e.evaluation.earlyStop; });
  Field& metric = stop.choice("metric", &EarlyStopConfig::metric, metricNames(),
                              "Metric that has to improve; null: no early stopping.");
  metric.nullable = true;
  stop.integer("patience", &EarlyStopConfig::patience, atLeast(1), "evaluations",
               "Evaluations without an improvement after which the training ends.");
  stop.number("min_delta", &EarlyStopConfig::minDelta, atLeast(0), "",
              "An improvement is a change for the better by more than this.");
  stop.optionalNumber("target", &EarlyStopConfig::target, atLeast(0), "",
                      "Value of the metric that ends the training once it is reached; null: none.")
      .isBuilt = false;
}

void addCheckpointFields(FieldTable& table) {
  SectionRows checkpoint(
      table, "checkpoint", "When checkpoints are saved, and which are kept.",
      [](auto& e) -> auto& { return e.checkpoint; });
  checkpoint.duration("every", &CheckpointConfig::every, atLeast(0),
                      "Interval of checkpoints; 0: at the last step only.");
  checkpoint.integer("keep", &CheckpointConfig::keep, atLeast(1), "checkpoints",
                     "Newest checkpoints that are kept; older ones are removed.");
  checkpoint.flag("keep_best", &CheckpointConfig::keepBest,
                  "Keep the checkpoint of the best evaluation too (evaluation.best_metric).");
}

void addEventCommandFields(FieldTable& table) {
  SectionRows commands(
      table, "monitor.on_event",
      "Commands that the supervisor runs, with the event as JSON on standard input.",
      [](auto& e) -> auto& { return e.monitor.onEvent; });
  for (const auto& [key, member, help] :
       {std::tuple{"best", &EventCommands::best,
                   "Run after the best evaluation so far; null: none."},
        std::tuple{"alert", &EventCommands::alert, "Run after an alert; null: none."},
        std::tuple{"end", &EventCommands::end, "Run when the training has ended; null: none."}}) {
    Field& command = commands.text(key, member, help);
    command.nullable = true;
    command.isBuilt = false;
  }
}

void addMonitorFields(FieldTable& table) {
  SectionRows monitor(
      table, "monitor", "What is logged while the training runs.",
      [](auto& e) -> auto& { return e.monitor; });
  monitor.duration("log_every", &MonitorConfig::logEvery, atLeast(0),
                   "Interval at which losses are read from the device and logged; every step's are "
                   "kept. Longer costs a fast GPU less.");
  monitor
      .duration("tensor_stats_every", &MonitorConfig::tensorStatsEvery, atLeast(0),
                "Interval of the norm and mean of each weight and gradient; 0: never.")
      .isBuilt = false;
  monitor
      .texts("tensor_stats_include", &MonitorConfig::tensorStatsInclude,
             "Regular expressions: only parameters whose name matches one; []: all.")
      .isBuilt = false;
  monitor.duration("predictions_every", &MonitorConfig::predictionsEvery, atLeast(0),
                   "Interval of predictions on the watched images; 0: never.");
  monitor.integer("prediction_images", &MonitorConfig::predictionImages, between(0, 1000), "images",
                  "Held-out images that are watched: the first so many.");
  monitor
      .integer("summary_images", &MonitorConfig::summaryImages, between(0, 1000), "images",
               "Watched images whose predictions are logged as image summaries for TensorBoard.")
      .isBuilt = false;
  addEventCommandFields(table);
}

void addRuntimeFields(FieldTable& table) {
  SectionRows runtime(
      table, "runtime", "Devices, precision and processes.",
      [](auto& e) -> auto& { return e.runtime; });
  runtime.choice("device", &RuntimeConfig::device, "What to train on.",
                 "a GPU where this build has kernels for one, else the CPU");
  runtime.integer("workers", &RuntimeConfig::workers, between(0, 65536), "ranks",
                  "Ranks (processes), which share each batch (data-parallel training); 0: one per "
                  "GPU, or one on a CPU.");
  Field& devices = runtime.integers("devices", &RuntimeConfig::devices, atLeast(0), "",
                                    "Indices of the GPUs to use, one for each rank; []: all.");
  devices.mayBeEmpty = true;
  runtime.choice("backend", &RuntimeConfig::backend, "Communication between ranks.",
                 "nccl where each has a GPU of its own, else gloo");
  runtime.choice("precision", &RuntimeConfig::precision,
                 "What the network computes in; weights, norm statistics and losses stay fp32.",
                 "bf16 where the device computes in it (AVX512_BF16, AMX, compute capability "
                 "8.0 or more), else fp32");
  runtime.flag("deterministic", &RuntimeConfig::deterministic,
               "Let cuDNN, cuBLAS and NCCL choose only what gives the same bits every time, at "
               "some cost of speed; a CPU always does.");
  runtime.integer("seed", &RuntimeConfig::seed, between(0, 9007199254740992.0), "",
                  "Random seed of initialisation, order, augmentation and sampling.");
  runtime.integer("cpu_threads", &RuntimeConfig::cpuThreads, between(0, 1024), "threads",
                  "Compute (intra-op) threads of each rank; 0: the cores shared among the ranks.");
  runtime.flag("cuda_graphs", &RuntimeConfig::cudaGraphs,
               "Record backbone, FPN and RPN head as a CUDA graph for each padded size of a batch "
               "and replay it: faster for small batches, for more memory. See augment.pad_to.");
  runtime.integer("max_restarts", &RuntimeConfig::maxRestarts, between(0, 1000), "",
                  "Times that a run whose rank failed restarts from its newest checkpoint.");
  runtime.number("stall_seconds", &RuntimeConfig::stallSeconds, above(0), "s",
                 "A rank without progress for so long counts as hung.");
}

}  // namespace

void addRunFields(FieldTable& table) {
  addEvaluationFields(table);
  addCheckpointFields(table);
  addMonitorFields(table);
  addRuntimeFields(table);
}

}  // namespace lockstep::config
